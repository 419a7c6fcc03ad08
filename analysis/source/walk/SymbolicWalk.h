//===- SymbolicWalk.h - Runs a function with unknown inputs -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over a function's body in the order of execution, with an index for
// every integer, a base and a byte offset for every pointer:
//
//   int i = blockIdx.x * blockDim.x + threadIdx.x;   i = 'blockDim.x*blockIdx.x
//   if (i < n)                                            + threadIdx.x'
//     for (int j = 0; j < m; ++j)                    j = 'iterator #0'
//       s += A[i * m + j];                           access: A, 4*m*i + 4*j
//
// Device functions that are called are walked with their arguments bound; a
// loop in one appears once for each call. Each loop body is walked once:
// variables that the loop steps become start + step * iterator, all others that
// it changes become unknown at its top. What cannot be expressed is unknown and
// carries the reason; it never turns into a number.
//
// Limits: recursion, calls deeper than 16 and those after the first 20,000
// (each counted on every path) are unknown; so is a variable that something
// else may change (see walk/Mentions.h), and one at file scope that is not
// const. After MostSteps statements and expressions nothing is known any more.
// Integers that are not constants are assumed not to wrap.
//
// SymbolicWalk.cpp holds the statements, LoopWalk.cpp the loops,
// IndexExpressions.cpp the expressions, Arithmetic.cpp the operators,
// Places.cpp the lvalues, Calls.cpp the calls.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_WALK_SYMBOLICWALK_H
#define CATT_ANALYSIS_SOURCE_WALK_SYMBOLICWALK_H

#include "analysis/model/Kernel.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/walk/Mentions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace catt {

/// Where a pointer points: bytes from an object.
struct PointerValue {
  std::string Base;    ///< "A", "params.data"
  unsigned BaseId = 0; ///< equal for equal objects
  AddressSpace Space = AddressSpace::Global;
  std::optional<AffineIndex> Offset; ///< std::nullopt: anywhere in the object
  std::optional<Refusal> Why;        ///< set if Offset is not known
};

/// What is known of a value.
struct Value {
  enum class Kind : uint8_t { Unknown, Integer, Pointer, Record };
  Kind K = Kind::Unknown;
  AffineIndex Integer;
  PointerValue Pointer;
  std::map<std::string, Value> Fields; ///< Record: by field name
  std::optional<Refusal> Why;          ///< Unknown: the reason

  static Value unknown(Refusal Why);
  static Value integer(AffineIndex I);
  static Value pointer(PointerValue P);
  bool isInteger() const { return K == Kind::Integer; }
  bool isPointer() const { return K == Kind::Pointer; }
};
bool operator==(const Value &A, const Value &B);

/// What an lvalue designates.
struct Place {
  enum class Kind : uint8_t { Unknown, Variable, Memory };
  Kind K = Kind::Unknown;
  const clang::VarDecl *Variable = nullptr;
  llvm::SmallVector<std::string, 2> Path; ///< Variable: fields inside it
  PointerValue Memory;

  static Place variable(const clang::VarDecl *V);
  static Place memory(PointerValue Where);
};

/// A condition as a conjunction of affine guards; std::nullopt: not
/// expressible.
using Condition = std::optional<std::vector<Guard>>;

/// How control may have left a statement other than by its end.
struct Flow {
  bool Ends = false; ///< no thread reaches the end
  bool MayReturn = false, MayBreak = false, MayContinue = false;
};

/// One element of the way from the function's body to the current statement.
struct PathElement {
  const clang::Stmt *S = nullptr;              ///< a statement, or
  const clang::FunctionDecl *Callee = nullptr; ///< a call that is walked into
  const clang::CallExpr *Call = nullptr;
  /// The arguments are read from Call; the values of pointers play no part.
};

/// The expression without wrappers that change nothing of its value.
const clang::Expr *strip(const clang::Expr *E);
/// Bytes of an object of the type; 1 where the type has no size.
int64_t sizeOf(clang::ASTContext &Context, clang::QualType T);
/// Integers and enumerations.
bool isIndexType(clang::QualType T);
/// The value of an integer expression, if the compiler knows it.
std::optional<int64_t> constantIndex(const clang::Expr &E,
                                     const clang::ASTContext &Context);

class SymbolicWalk {
public:
  explicit SymbolicWalk(clang::ASTContext &Context) : Context(Context) {}
  virtual ~SymbolicWalk() = default;

  /// Walks a function whose parameters are unknown inputs of the program.
  void run(const clang::FunctionDecl &Function);

protected:
  //===-- Hooks ----------------------------------------------------------===//
  struct MemoryUse {
    bool Reads = false, Writes = false, Atomic = false, ThroughL1 = true;
  };
  virtual void onAccess(const clang::Expr &E, const PointerValue &Where,
                        clang::QualType Type, MemoryUse Use) {}
  /// A loop is entered; returns its id.
  virtual unsigned onLoop(const clang::Stmt &S) { return NextLoop++; }
  /// Its trip count and exits are known, after the body was walked.
  virtual void onLoopEnd(unsigned Id, const clang::Stmt &S,
                         const std::optional<AffineIndex> &TripCount,
                         bool MayExitEarly) {}
  virtual void onKernelCall(const clang::CUDAKernelCallExpr &Call,
                            const Value &Grid, const Value &Block,
                            const Value &Shared,
                            llvm::ArrayRef<Value> Arguments) {}
  virtual void onCall(const clang::CallExpr &Call, const clang::FunctionDecl *F,
                      llvm::ArrayRef<Value> Arguments) {}
  /// True if a call is to be walked into.
  virtual bool entersCall(const clang::FunctionDecl &F) const { return true; }
  /// MostCalls calls were walked into; this one and those after it are not.
  virtual void onTooManyCalls(const clang::CallExpr &Call) {}
  /// The quota of steps ran out here; what follows is not walked.
  virtual void onTooManySteps(const clang::Stmt &S) {}
  /// Statements and expressions that may still be walked.
  uint64_t StepsLeft = MostSteps;
  static constexpr uint64_t MostSteps = 20'000'000;
  /// The value of a parameter of the function that run() was given.
  virtual Value parameter(const clang::ParmVarDecl &P);

  //===-- For subclasses -------------------------------------------------===//
  clang::ASTContext &Context;
  std::vector<PathElement> Path;
  std::vector<unsigned> LoopStack; ///< ids of the loops around, outermost first
  /// Guards in force; std::nullopt stands for one that cannot be expressed.
  std::vector<std::optional<Guard>> Guards;

  std::string text(const clang::Expr &E) const;
  Location location(clang::SourceLocation L) const;

private:
  // IndexExpressions.cpp, Arithmetic.cpp, Places.cpp, Calls.cpp
  Value eval(const clang::Expr *E);
  Value evalCall(const clang::CallExpr *E);
  std::optional<Value> evalIntrinsic(const clang::CallExpr *E,
                                     const clang::FunctionDecl &F);
  std::optional<Value> evalMemoryIntrinsic(const clang::CallExpr *E,
                                           llvm::StringRef Name);
  Value evalAsValue(const clang::Expr *E);
  Value evalShift(clang::BinaryOperatorKind Op, const AffineIndex &L,
                  const AffineIndex &R, const clang::Expr &E);
  Value evalBitwise(clang::BinaryOperatorKind Op, const AffineIndex &L,
                    const AffineIndex &R, const clang::Expr &E);
  Value evalBinary(const clang::BinaryOperator *E);
  Value evalArithmetic(clang::BinaryOperatorKind Op, const Value &L,
                       const Value &R, const clang::Expr &E);
  Value evalUnary(const clang::UnaryOperator *E);
  Value evalCast(const clang::CastExpr *E);
  Value evalConstruct(const clang::CXXConstructExpr *E);
  Value evalOfNewObject(const clang::Expr *E);
  Value evalConditional(const clang::AbstractConditionalOperator *E);
  Value evalInitList(const clang::InitListExpr *E);
  std::optional<Value> evalThreadCoordinate(const clang::Expr *E);
  struct Result {
    Value V;
    Place P; ///< for functions that return a reference
  };
  Result callFunction(const clang::CallExpr *E, const clang::FunctionDecl &F);
  Result callUnseen(const clang::CallExpr *E, const clang::FunctionDecl &F);
  bool isTakenAsValue(const clang::FunctionDecl &Def, unsigned I);
  void bindArguments(const clang::CallExpr &E, const clang::FunctionDecl &Def);
  Place thisOf(const clang::CallExpr &E, const clang::FunctionDecl &F);
  Place place(const clang::Expr *E);
  PointerValue pointee(const Value &V, const clang::Expr &Pointer,
                       const clang::Expr &Use);
  Place placeOfVariable(const clang::VarDecl *V, const clang::Expr *E);
  Place placeOfMember(const clang::MemberExpr *E);
  Place placeOfField(Place Base, const clang::FieldDecl *F,
                     const clang::Expr &E);
  std::optional<Value> constantRecord(const clang::VarDecl &V, const Place &P);
  Value load(const Place &P, const clang::Expr &E, bool Record = true);
  void store(const Place &P, const Value &V, const clang::Expr &E,
             bool AlsoReads = false);
  Condition conditionOf(const clang::Expr *E, bool Truth);
  std::optional<AffineIndex> elementsBetween(const Value &From, const Value &To,
                                             clang::QualType Pointer);
  Condition comparison(clang::BinaryOperatorKind Op, const AffineIndex &L,
                       const AffineIndex &R, bool Truth);
  Value unknownAt(const clang::Expr &E, llvm::StringRef Detail);
  unsigned baseId(const void *Object, llvm::StringRef Path);
  Value inputValue(const clang::VarDecl &V, clang::QualType T, std::string Name,
                   llvm::StringRef Path);

  // SymbolicWalk.cpp, LoopWalk.cpp
  Flow walk(const clang::Stmt *S);
  Flow walkCompound(const clang::CompoundStmt *S);
  Flow walkIf(const clang::IfStmt *S);
  Flow walkSwitch(const clang::SwitchStmt *S);
  Flow walkLoop(const clang::Stmt *S);
  void walkDecl(const clang::DeclStmt *S);
  void declare(const clang::VarDecl *V);
  void pushCondition(const Condition &C);
  void walkChildren(const clang::Stmt *S);
  /// Variables that a loop changes; with a step if it is the same each time.
  using Steps = std::map<const clang::VarDecl *, std::optional<AffineIndex>>;
  Steps stepsOf(const LoopParts &L);
  std::optional<AffineIndex> stepOf(const clang::Stmt *S,
                                    const clang::VarDecl *V);
  std::optional<AffineIndex> stepHere(const clang::Stmt *S,
                                      const clang::VarDecl *V);
  void startIteration(const Steps &Changed, const AffineIndex &Iterator);
  Condition comparisonInLoop(const clang::BinaryOperator &E, const LoopParts &L,
                             unsigned Id);
  std::optional<AffineIndex> tripCount(const LoopParts &L, unsigned Id,
                                       bool &Exact);
  Value wrapped(Value V, const clang::Expr &E);
  bool isLost(const clang::VarDecl *V) const;
  bool isOfQuietCall(const clang::VarDecl *V) const;
  bool spend(const clang::Stmt &S);
  void enter(const clang::FunctionDecl &Definition);
  void forgetChanges(const clang::Stmt *MayRun);
  bool changesSomething(const clang::Stmt *S) const;
  void leaveLoop(const Steps &Changed,
                 const std::map<const clang::VarDecl *, Value> &Before,
                 const std::optional<AffineIndex> &Trips);
  using Counts = std::map<const clang::VarDecl *, unsigned>;
  void changedBy(const clang::Stmt *S, Counts &Changed) const;
  void changedByCall(const clang::CallExpr &E, Counts &Changed) const;
  void changedByArguments(const clang::FunctionDecl *F,
                          llvm::ArrayRef<const clang::Expr *> Arguments,
                          Counts &Changed) const;
  void changedThrough(const clang::Expr *LValue, bool Reads,
                      Counts &Changed) const;
  void changedThis(bool Reads, Counts &Changed) const;
  void forget(const Counts &Changed);
  /// A switch around us: what it changes, and the guards at its head.
  struct Switch {
    Counts Changed;
    size_t Guards;
  };
  std::vector<Switch> Switches;

  /// A call being walked: what it returned so far, and its object.
  struct Frame {
    const clang::FunctionDecl *Function;
    std::vector<Value> Returned;
    std::vector<Place> ReturnedPlaces;
    Place This;
    bool Quiet = false; ///< its own variables are changed all the same
  };

  std::map<const clang::VarDecl *, Value> Variables;
  std::map<const clang::VarDecl *, Place> References;
  llvm::DenseMap<const clang::VarDecl *, bool> Escaped;
  Mentions Uses;
  std::vector<Frame> Frames;
  std::map<std::pair<const void *, std::string>, unsigned> BaseIds;
  unsigned NextLoop = 0;
  /// Every path of calls is walked anew, and there can be exponentially many.
  static constexpr unsigned MostCalls = 20000;
  unsigned CallsWalked = 0;
  /// Above 0: evaluate only, nothing is recorded or stored.
  unsigned Quiet = 0;
};

} // namespace catt

#endif
