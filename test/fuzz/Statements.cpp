//===- Statements.cpp - Loops, conditions, barriers ------------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Place (who comes by, how often, which variables) --> a statement that is
//   valid there
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/KernelGenerator.h"
#include <algorithm>

namespace catt::fuzz {

/// Iterations that one statement may run for one thread, all loops together.
static constexpr int64_t MostTrips = 40;

Statement Generator::text(std::vector<std::string> Lines) {
  Statement S;
  S.Lines = std::move(Lines);
  return S;
}

void Generator::decorate(Statement &S) {
  S.Braces = !chance(35);
  S.OneLine = chance(12);
  if (chance(8))
    S.Comment = pick<std::string>(
        {"// for (;;) { __syncthreads(); }", "/* a } that is no } */",
         "// tuned by hand: do not touch", "/* two\n   lines */"});
}

std::vector<Statement> Generator::statements(Place &P, unsigned Count) {
  std::vector<Statement> Out;
  for (unsigned I = 0; I < Count; ++I) {
    Out.push_back(statement(P));
    decorate(Out.back());
  }
  return Out;
}

Statement Generator::statement(Place &P) {
  bool Room = P.Loops < 3 && P.Trips < MostTrips / 2;
  if (Room && chance(P.Loops == 0 ? 45 : 30))
    return loop(P);
  if (Room && chance(6))
    return movingPointer(P);
  if (chance(14))
    return branch(P);
  bool MayLeave = P.MayBreak && P.By <= P.LoopBy;
  if (P.InFunction)
    return MayLeave && chance(20) ? leave(P) : assignment(P);
  bool Together = P.By == Reach::Block;
  switch (below(24)) {
  case 0:
  case 1:
    if (Together && !MayReturn)
      return tile(P);
    break;
  case 2:
    if (Together)
      return barrier();
    break;
  case 3:
    if (Together && !MayReturn)
      return sharedCounter(P);
    break;
  case 4:
  case 5:
    if (P.By <= Reach::Warp && !MayReturn)
      return warpOperation();
    break;
  case 6:
    return atomic(P);
  case 7:
  case 8:
    if (Room && K.Functions.size() < 2)
      return call(P);
    break;
  case 9:
    if (Together && P.Loops == 0 && !HasTurns && !MayReturn && chance(40))
      return turns();
    break;
  case 10:
    return partialOutput(P);
  case 11:
    if (MayLeave || MayReturn)
      return leave(P);
    break;
  case 12:
  case 13:
    return assignVariable(P);
  case 14:
    return localArray(P);
  case 15:
    return lambda(P);
  case 16:
    if (chance(30))
      return jump(P);
    break;
  case 17:
  case 18:
    if (HasRecord)
      return records(P);
    break;
  }
  return assignment(P);
}

Statement Generator::assignment(Place &P) {
  if (HasFloat && !P.InFunction && chance(25))
    return text({"f0 += " + floatLoad(P) + " * " + floatLoad(P) + ";"});
  std::string To = P.InFunction ? "s" : pick(Values);
  std::vector<std::string> Lines = {
      To + pick<std::string>({" += ", " ^= ", " = 3u * " + To + " + "}) +
      value(P) + ";"};
  if (chance(20))
    Lines.push_back(To + " += " + load(P) + ";");
  if (chance(20)) {
    std::string C = fresh("c"), D = fresh("c");
    Lines.insert(Lines.begin(), "const unsigned " + C + " = " + load(P) + ", " +
                                    D + " = " + C + " + 3u;");
    Lines.push_back(To + " ^= " + C + " * " + D + ";");
  }
  // Cheap enough to be computed again, unless its operand has changed.
  if (!P.InFunction && chance(20)) {
    std::string C = fresh("w"), From = pick(Values);
    Lines.insert(Lines.begin(), {"unsigned " + C + " = " + From + " * 3u + 1u;",
                                 To + " ^= " + C + ";"});
    if (chance(60))
      Lines.push_back(From + " += 5u;");
    Lines.push_back(To + " += " + C + " & 63u;");
  }
  return text(Lines);
}

//===-- Loops -------------------------------------------------------------===//

/// A number that differs between threads, or between warps.
Index Generator::ownTripCount(const Place &P, Reach By) {
  std::vector<Index> Own;
  for (const IndexVariable &V : P.Visible) {
    if (V.SameFor != By)
      continue;
    // Only its assignments make this one differ.
    if (!V.Assign.empty())
      Own.insert(Own.end(), 4, {V.Name, V.Low, V.High, By, true});
    else if (V.High > 0)
      Own.push_back(
          {V.Name + " % 4", 0, std::min<int64_t>(V.High, 3), By, false});
  }
  return Own.empty() ? constant(1, 3) : pick(Own);
}

/// How often a loop runs: a constant, a parameter, or a thread's own number.
Index Generator::tripCount(const Place &P, Reach By) {
  int64_t Most = std::max<int64_t>(MostTrips / P.Trips, 1);
  Index Trips;
  if (By != P.By && chance(70)) // the loop that parts them
    Trips = ownTripCount(P, By);
  else if (chance(40))
    Trips = constant(chance(10) ? 0 : 1, 6);
  else
    Trips = term(P, By);
  if (Trips.High > std::min<int64_t>(Most, 9)) {
    Trips = capped(Trips, std::min<int64_t>(Most, from(1, 8)));
  }
  if (!Trips.Atomic)
    Trips.Text = "(" + Trips.Text + ")", Trips.Atomic = true;
  return Trips;
}

void Generator::countingHead(Statement &S, const Index &Trips, IndexVariable &I,
                             bool &MayContinue) {
  const std::string &N = I.Name, &T = Trips.Text;
  I.Low = 0, I.High = std::max<int64_t>(Trips.High - 1, 0);
  S.Flat = "const int " + N + " = 0;";
  switch (below(13)) {
  case 0:
    S.Head = "for (int " + N + " = 2; " + N + " < 2 + " + T + "; " + N + "++)";
    S.Flat = "const int " + N + " = 2;";
    I.Low += 2, I.High += 2;
    return;
  case 1:
    S.Head =
        "for (int " + N + " = 0; " + N + " < 3 * " + T + "; " + N + " += 3)";
    I.High = std::max<int64_t>(3 * Trips.High - 3, 0);
    return;
  case 2:
    S.Head = "for (int " + N + " = " + T + " - 1; " + N + " >= 0; --" + N + ")";
    return;
  case 3:
    S.Head = "for (int " + N + " = " + T + "; " + N + "-- > 0;)";
    return;
  case 4:
    S.Before = "int " + N + " = 0;";
    S.Head = "while (" + N + " < " + T + ")";
    S.Step = "++" + N + ";";
    MayContinue = false;
    return;
  case 5:
    if (Trips.Low < 1)
      break;
    S.Before = "int " + N + " = 0;";
    S.Head = "do";
    S.Step = N + "++;";
    S.Tail = "while (" + N + " < " + T + ");";
    MayContinue = false;
    return;
  case 6:
    S.Head = id("LOOP") + "(" + N + ", " + T + ")";
    HasLoopMacro = true;
    return;
  case 7:
    S.Head = "for (unsigned " + N + " = 0; " + N + " < unsigned(" + T +
             "); ++" + N + ")";
    return;
  case 8: // 1, 2, 4: not linear
    S.Head = "for (int " + N + " = 1; " + N + " <= " + T + "; " + N + " *= 2)";
    S.Flat = "const int " + N + " = 1;";
    I.Low = 1, I.High = std::max<int64_t>(Trips.High, 1);
    return;
  }
  S.Head = "for (int " + N + " = 0; " + N + " < " + T + "; ++" + N + ")";
}

Statement Generator::loop(Place &P) {
  Statement S;
  S.K = Statement::Kind::Loop;
  Place In = P;
  In.By = P.By == Reach::Thread || chance(35) ? Reach::Thread : P.By;
  if (In.By == Reach::Block && chance(10))
    In.By = Reach::Warp;
  Index Trips = tripCount(P, In.By);
  IndexVariable I;
  I.Name = fresh("i");
  I.SameFor = In.By;
  In.MayContinue = true;
  In.MayBreak = true;
  In.LoopBy = In.By;
  countingHead(S, Trips, I, In.MayContinue);
  In.Visible.push_back(I);
  ++In.Loops;
  In.Trips = P.Trips * std::max<int64_t>(Trips.High, 1);
  if (S.Before.empty() && S.Tail.empty() && chance(20))
    S.Pragmas = {pick<std::string>(
        {"#pragma unroll", "#pragma unroll 1", "#pragma unroll 4"})};
  S.Body = statements(In, unsigned(from(1, P.Loops == 0 ? 3 : 2)));
  // What is inside the loop that parts threads is what a barrier must not
  // enter.
  if (In.By != P.By && In.Loops < 3 && In.Trips < MostTrips / 2 && chance(60))
    S.Body.push_back(loop(In));
  return S;
}

/// const int *q = A + i; for (...) { s += *q; q += n; }
Statement Generator::movingPointer(Place &P) {
  std::string Q = fresh("q"), I = fresh("i"), Base = "p";
  Index Start = index(P, P.InFunction ? 400 : 4000);
  Index Trips = constant(1, 6), Step = constant(1, 40);
  if (chance(50)) {
    const IndexVariable &S = pick(Parameters);
    if (S.High <= 200)
      Step = {S.Name, S.Low, S.High, Reach::Block, true};
  }
  if (P.InFunction && Start.High + Trips.High * Step.High > 2000)
    Step = constant(1, 9);
  std::string Type = "int";
  if (!P.InFunction) {
    Buffer *B = nullptr;
    for (Buffer &Known : Buffers)
      if (Known.S == Buffer::Shape::Scalar)
        B = &Known;
    if (!B)
      return assignment(P);
    Base = B->Name, Type = B->Element;
    B->Highest = std::max(B->Highest, Start.High + Trips.High * Step.High);
  }
  Statement S;
  S.K = Statement::Kind::Loop;
  S.Before =
      "const " + Type + " *" + Q + " = " + Base + " + (" + Start.Text + ");";
  S.Head = "for (int " + I + " = 0; " + I + " < " + Trips.Text + "; ++" + I +
           ", " + Q + " += " + Step.Text + ")";
  S.Flat = S.Before;
  std::string To = P.InFunction ? "s" : pick(Values);
  S.Body = {
      text({To + " += unsigned(" + (chance(50) ? "*" + Q : Q + "[0]") + ");"})};
  return S;
}

/// int t[4]; filled and read again.
Statement Generator::localArray(Place &P) {
  std::string A = fresh("t"), I = fresh("i");
  std::string To = pick(Values);
  return text({"unsigned " + A + "[4];",
               "for (int " + I + " = 0; " + I + " < 4; ++" + I + ") " + A +
                   "[" + I + "] = " + value(P) + " + " + I + ";",
               To + " += " + A + "[" + index(P, 3).Text + "];"});
}

/// What may be done to structs: copies, of a part too, and their elements.
Statement Generator::records(Place &P) {
  std::string I = fresh("i"), R = fresh("copy");
  std::string Loop = "for (int " + I + " = 0; " + I + " < ";
  switch (below(5)) {
  case 0:
    return text({"rec1 = rec0;"});
  case 1:
    return text({id("Record") + " " + R + " = rec0;",
                 "rec0.in[1] = rec1.in[0];", "rec1 = " + R + ";"});
  case 2: // a queue that shifts
    return text(
        {Loop + "3; ++" + I + ") rec0.v[" + I + "] = rec0.v[" + I + " + 1];",
         "rec0.v[3] = " + value(P) + ";"});
  case 3:
    return text({Loop + "2; ++" + I + ") rec1.in[" + I + "].a += rec0.v[" + I +
                 " * 2] + " + load(P) + ";"});
  default:
    return text({"rec1.v[1] ^= rec1.in[1].a;", "rec0.n += " + value(P) + ";"});
  }
}

/// A lambda that loads and adds, called in a loop.
Statement Generator::lambda(Place &P) {
  std::string G = fresh("g"), I = fresh("i"), To = pick(Values);
  return text({"auto " + G + " = [&](int k) { " + To + " += " + load(P) +
                   " + unsigned(k); };",
               "for (int " + I + " = 0; " + I + " < 3; ++" + I + ") " + G +
                   "(" + I + ");"});
}

/// A loop that a goto leaves.
Statement Generator::jump(Place &P) {
  std::string L = fresh("out"), I = fresh("i"), To = pick(Values);
  return text({"for (int " + I + " = 0; " + I + " < 5; ++" + I + ") {",
               "if (" + condition(P, Reach::Thread) + ") goto " + L + ";",
               To + " += " + load(P) + ";", "}", L + ": ;"});
}

//===-- Conditions --------------------------------------------------------===//

Statement Generator::branch(Place &P) {
  Statement S;
  S.K = chance(15) ? Statement::Kind::Switch : Statement::Kind::If;
  Place In = P;
  if (P.By != Reach::Thread && chance(60))
    In.By = Reach::Thread;
  else if (P.By == Reach::Block && chance(20))
    In.By = Reach::Warp;
  if (S.K == Statement::Kind::Switch) {
    S.Head = "switch (" + term(P, In.By).Text + ")";
    In.MayBreak = In.MayContinue = false;
  } else {
    S.Head = "if (" + condition(P, In.By) + ")";
    if (In.By == Reach::Block && chance(15) && !P.InFunction)
      S.Head = "if (blockDim.x > " + std::to_string(K.Block.X / 2) + ")";
  }
  S.Body = statements(In, unsigned(from(1, 2)));
  if (S.K == Statement::Kind::Switch || chance(30))
    S.Else = statements(In, 1);
  return S;
}

/// return, break or continue, if a thread's own value says so; out of a loop
/// that threads run together they go together.
Statement Generator::leave(Place &P) {
  bool MayLeave = P.MayBreak && P.By <= P.LoopBy;
  if (MayLeave && (!MayReturn || P.InFunction || chance(60)))
    return text({"if (" + condition(P, P.LoopBy) + ") " +
                 (P.MayContinue && chance(40) ? "continue;" : "break;")});
  return text({"if (" + condition(P, Reach::Thread) + ") return;"});
}

/// A variable that other statements take as a bound gets a new value, which is
/// a thread's own only if the variable was made for that.
Statement Generator::assignVariable(Place &P) {
  std::vector<IndexVariable> Fitting;
  for (const IndexVariable &V : Assignable)
    if (V.SameFor >= P.By)
      Fitting.push_back(V);
  if (Fitting.empty() || P.InFunction)
    return assignment(P);
  const IndexVariable &V = pick(Fitting);
  std::string To = V.Name + " = " + capped(term(P, V.SameFor), V.High).Text;
  if (V.Low > 0 || V.Assign == "constant" || chance(50))
    To = V.Name + " = " + std::to_string(from(V.Low, V.High));
  if (chance(40) && P.By <= V.SameFor)
    return text({"if (" + condition(P, V.SameFor) + ") " + To + ";"});
  return text({To + ";"});
}

//===-- Threads together --------------------------------------------------===//

/// Each thread writes its cell of shared memory, and reads another's.
Statement Generator::tile(Place &P) {
  std::string T = "tile" + std::to_string(Tiles++), To = pick(Values);
  std::string Count = std::to_string(Threads);
  bool Dynamic = !K.DynamicBytes && chance(30);
  if (Dynamic) {
    K.DynamicBytes = Threads * 4;
    T = id("dynamic"); // one name in all of the file
  }
  K.Body.insert(
      K.Body.begin(),
      text({Dynamic ? "extern __shared__ unsigned " + T + "[];"
                    : "__shared__ unsigned " + T + "[" + Count + "];"}));
  std::string Other =
      "(lin + " + std::to_string(from(1, Threads)) + ") % " + Count;
  if (!Dynamic && Threads % 8 == 0 && chance(30)) {
    K.Body[0] = text({"__shared__ unsigned " + T + "[" +
                      std::to_string(Threads / 8) + "][8 + 1];"});
    return text({T + "[lin / 8][lin % 8] = " + value(P) + ";",
                 "__syncthreads();",
                 To + " += " + T + "[(" + Other + ") / 8][lin % 8];",
                 "__syncthreads();"});
  }
  return text({T + "[lin] = " + value(P) + ";", "__syncthreads();",
               To + " += " + T + "[" + Other + "];", "__syncthreads();"});
}

/// A histogram in shared memory.
Statement Generator::sharedCounter(Place &P) {
  std::string T = "tile" + std::to_string(Tiles++), To = pick(Values);
  K.Body.insert(K.Body.begin(), text({"__shared__ unsigned " + T + "[8];"}));
  return text({"for (int c = lin; c < 8; c += " + std::to_string(Threads) +
                   ") " + T + "[c] = 0;",
               "__syncthreads();",
               "atomicAdd(&" + T + "[" + index(P, 7).Text + "], 1u);",
               "__syncthreads();", To + " += " + T + "[lin % 8];",
               "__syncthreads();"});
}

Statement Generator::barrier() {
  if (chance(25)) {
    HasSyncFunction = true;
    return text({id("meet") + "();"});
  }
  if (chance(20)) {
    std::string To = pick(Values);
    return text({To + " += __syncthreads_count(int(" + To + " & 1u));"});
  }
  return text({"__syncthreads();"});
}

Statement Generator::warpOperation() {
  std::string To = pick(Values), From = pick(Values);
  switch (below(Threads % 32 == 0 ? 6 : 4)) {
  case 0:
    return text({To + " += __popc(__ballot_sync(0xffffffffu, int(" + From +
                 " & 1u)));"});
  case 1:
    return text({"__syncwarp();"});
  case 2:
    return text({"if (__any_sync(0xffffffffu, int(" + From + " & 2u))) " + To +
                 " += 5u;"});
  case 3:
    return text({To + " += __reduce_add_sync(0xffffffffu, " + From + ");"});
  case 4:
    return text({To + " += __shfl_xor_sync(0xffffffffu, " + From + ", " +
                 std::to_string(1 << below(5)) + ");"});
  default:
    return text({To + " ^= __shfl_sync(0xffffffffu, " + From + ", " +
                 std::to_string(below(32)) + ");"});
  }
}

Statement Generator::atomic(Place &P) {
  CounterCells = std::max<int64_t>(CounterCells, 64);
  std::string At = index(P, 63).Text;
  // One operation per kernel: different ones on one cell do not commute.
  const char *const Operations[] = {"atomicAdd", "atomicMax", "atomicXor"};
  return text({std::string(Operations[K.Seed % 3]) + "(&counters[" + At +
               "], " + value(P) + ");"});
}

/// Warps take turns, the last one first: a wait for other warps.
Statement Generator::turns() {
  HasTurns = true;
  std::string Last = std::to_string((Threads + 31) / 32 - 1);
  std::string Block = "blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * "
                      "blockIdx.z)";
  std::string Wait = "while (atomicAdd(&flags[" + Block + "], 0) < " + Last +
                     " - lin / 32) " + (chance(50) ? "{ }" : ";");
  if (chance(40))
    Wait = "while (((volatile int *)flags)[" + Block + "] < " + Last +
           " - lin / 32) __nanosleep(20);";
  return text({Wait, "__syncwarp();",
               "if (lin % 32 == 0) atomicAdd(&flags[" + Block + "], 1);"});
}

/// Each thread owns a row of 4 cells.
Statement Generator::partialOutput(Place &P) {
  PartialCells = AllThreads * 4;
  std::string At = "partial[gid * 4 + " + index(P, 3).wrapped() + "]";
  return text({At + (chance(50) ? " += " : " = ") + value(P) + ";"});
}

//===-- Device functions --------------------------------------------------===//

/// unsigned f(const int *p, int a, int n) with a loop of its own.
Statement Generator::call(Place &P) {
  if (!std::any_of(Buffers.begin(), Buffers.end(),
                   [](const Buffer &B) {
                     return B.S == Buffer::Shape::Scalar && B.Element == "int";
                   }) &&
      Buffers.size() < 5) {
    Buffer B;
    B.Name = std::string(1, char('A' + Buffers.size()));
    B.Element = "int", B.Fill = "i";
    Buffers.push_back(B);
  }
  Buffer *B = nullptr;
  for (Buffer &Known : Buffers)
    if (Known.S == Buffer::Shape::Scalar && Known.Element == "int")
      B = &Known;
  if (!B)
    return assignment(P);
  std::string Name =
      "f" + std::to_string(K.Functions.size()) + "_" + std::to_string(K.Id);
  Place In;
  In.By = Reach::Thread;
  In.InFunction = true;
  In.Trips = P.Trips;
  In.Visible = {{"a", 0, 60, Reach::Thread, ""}, {"n", 0, 6, Reach::Block, ""}};
  std::vector<IndexVariable> SavedParameters = Parameters;
  std::vector<std::string> SavedValues = Values;
  Parameters = {{"n", 0, 6, Reach::Block, ""}};
  Values = {"s"};
  Function F;
  bool Template = chance(25), ByReference = chance(30);
  std::string Qualifiers = pick<std::string>(
      {"__device__ ", "static __device__ ", "__device__ __forceinline__ "});
  F.Head = (Template ? "template <typename T> " : "") + Qualifiers +
           (ByReference ? "void " : "unsigned ") + Name + "(const " +
           (Template ? "T" : "int") + " *p, int a, int n" +
           (ByReference ? ", unsigned &s)" : ")");
  F.Body = {};
  if (!ByReference)
    F.Body.push_back(text({"unsigned s = 0;"}));
  F.Body.push_back(loop(In));
  if (!ByReference)
    F.Body.push_back(text({"return s;"}));
  Parameters = SavedParameters;
  Values = SavedValues;
  K.Functions.push_back(F);
  Index Offset = index(P, 3000);
  B->Highest = std::max(B->Highest, Offset.High + 2000);
  std::string Arguments = "(" + B->Name + " + (" + Offset.Text + "), " +
                          index(P, 60).Text + ", " +
                          capped(term(P, Reach::Thread), 6).Text;
  std::string To = pick(Values);
  std::string Call = ByReference ? Name + Arguments + ", " + To + ");"
                                 : To + " += " + Name + Arguments + ");";
  if (!ByReference && chance(30)) { // whatever uses it goes with it
    std::string R = fresh("r");
    std::vector<std::string> Lines = {"const unsigned " + R + " = " + Name +
                                          Arguments + ");",
                                      To + " += " + R + ";"};
    if (chance(50)) // called twice: a loop can only be wrapped here
      Lines.push_back(Call);
    if (P.MayBreak && P.By <= P.LoopBy && chance(60)) // and leaves it
      Lines.push_back("if (" + condition(P, P.LoopBy) + ") break;");
    return text(Lines);
  }
  return chance(20) ? text({Call, Call}) : text({Call});
}

} // namespace catt::fuzz
