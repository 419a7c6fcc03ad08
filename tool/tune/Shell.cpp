//===- Shell.cpp - Commands of the user, with a time limit ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Shell.h"
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace catt {
namespace {

volatile std::sig_atomic_t Interrupted = 0;

void onInterrupt(int) { Interrupted = 1; }

/// Our environment, with the additions before what they replace: getenv takes
/// the first.
std::vector<std::string>
environmentWith(const std::map<std::string, std::string> &More) {
  std::vector<std::string> All;
  for (const auto &[Name, Value] : More)
    All.emplace_back(Name).append("=").append(Value);
  for (char **E = environ; *E; ++E) {
    std::string Entry = *E;
    if (!More.count(Entry.substr(0, Entry.find('='))))
      All.push_back(Entry);
  }
  return All;
}

std::vector<char *> pointers(std::vector<std::string> &Words) {
  std::vector<char *> All;
  for (std::string &W : Words)
    All.push_back(W.data());
  All.push_back(nullptr);
  return All;
}

/// The process, or 0.
pid_t start(const ShellCommand &C) {
  posix_spawn_file_actions_t Files;
  posix_spawn_file_actions_init(&Files);
  constexpr int Write = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&Files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&Files, 1, C.Output.c_str(), Write, 0644);
  if (C.Errors == C.Output)
    posix_spawn_file_actions_adddup2(&Files, 1, 2);
  else
    posix_spawn_file_actions_addopen(&Files, 2, C.Errors.c_str(), Write, 0644);
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> Words = {"sh", "-c", C.Line};
  std::vector<std::string> Environment = environmentWith(C.Environment);
  pid_t Child = 0;
  int Failed =
      posix_spawn(&Child, "/bin/sh", &Files, &Attributes,
                  pointers(Words).data(), pointers(Environment).data());
  posix_spawn_file_actions_destroy(&Files);
  posix_spawnattr_destroy(&Attributes);
  return Failed ? 0 : Child;
}

} // namespace

void watchForInterrupts() {
  struct sigaction Action = {};
  Action.sa_handler = onInterrupt;
  for (int Signal : {SIGINT, SIGTERM, SIGHUP})
    ::sigaction(Signal, &Action, nullptr);
}

bool isInterrupted() { return Interrupted != 0; }

ShellResult runShell(const ShellCommand &Command) {
  using Clock = std::chrono::steady_clock;
  using End = ShellResult::End;
  ShellResult R;
  if (isInterrupted()) {
    R.How = End::Interrupted;
    return R;
  }
  auto Begin = Clock::now();
  pid_t Child = start(Command);
  if (!Child)
    return R;
  int Status = 0;
  R.How = End::Exited;
  while (::waitpid(Child, &Status, WNOHANG) == 0) {
    std::chrono::duration<double> Passed = Clock::now() - Begin;
    if (isInterrupted() || Passed.count() > Command.LimitSeconds) {
      R.How = isInterrupted() ? End::Interrupted : End::TimeOut;
      ::kill(-Child, SIGKILL);
      ::waitpid(Child, &Status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  // What it left running would disturb the next one.
  ::kill(-Child, SIGKILL);
  R.Seconds = std::chrono::duration<double>(Clock::now() - Begin).count();
  if (R.How == End::Exited && WIFSIGNALED(Status))
    R.How = End::Signal;
  R.Code = WIFSIGNALED(Status) ? WTERMSIG(Status) : WEXITSTATUS(Status);
  return R;
}

} // namespace catt
