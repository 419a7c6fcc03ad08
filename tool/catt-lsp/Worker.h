//===- Worker.h - Work that waits until the typing stops ----- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   schedule(a, 100 ms)  schedule(a, 100 ms)          hurry(a)
//        |--------- replaced ----|---------- run now --->|
//
// One thread, one task at a time. A task that has begun is not interrupted.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTLSP_WORKER_H
#define CATT_TOOL_CATTLSP_WORKER_H

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace catt {

class Worker {
public:
  Worker();
  ~Worker(); ///< drops what has not begun, waits for what has

  /// Runs the task after the delay, instead of an earlier one with this key
  /// that has not begun.
  void schedule(const std::string &Key, std::chrono::milliseconds Delay,
                std::function<void()> Task);
  /// Lets the task with this key begin as soon as possible.
  void hurry(const std::string &Key);
  /// Drops the task with this key unless it has begun.
  void drop(const std::string &Key);

private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Clock::time_point Due;
    std::function<void()> Task;
  };
  void loop();

  std::mutex Mutex;
  std::condition_variable Changed;
  std::map<std::string, Waiting> Tasks;
  bool Stopping = false;
  std::thread Thread; ///< last: it uses all of the above
};

} // namespace catt

#endif
