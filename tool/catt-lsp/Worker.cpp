//===- Worker.cpp - Work that waits until the typing stops ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Worker.h"
#include <algorithm>

namespace catt {

Worker::Worker() : Thread([this] { loop(); }) {}

Worker::~Worker() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Stopping = true;
  }
  Changed.notify_all();
  Thread.join();
}

void Worker::schedule(const std::string &Key, std::chrono::milliseconds Delay,
                      std::function<void()> Task) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Tasks[Key] = {Clock::now() + Delay, std::move(Task)};
  }
  Changed.notify_all();
}

void Worker::hurry(const std::string &Key) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (auto It = Tasks.find(Key); It != Tasks.end())
      It->second.Due = Clock::now();
  }
  Changed.notify_all();
}

void Worker::drop(const std::string &Key) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Tasks.erase(Key);
}

void Worker::loop() {
  std::unique_lock<std::mutex> Lock(Mutex);
  while (!Stopping) {
    auto Next =
        std::min_element(Tasks.begin(), Tasks.end(), [](auto &A, auto &B) {
          return A.second.Due < B.second.Due;
        });
    if (Next == Tasks.end()) {
      Changed.wait(Lock);
      continue;
    }
    Clock::time_point Due = Next->second.Due;
    if (Clock::now() < Due) {
      Changed.wait_until(Lock, Due);
      continue;
    }
    std::function<void()> Task = std::move(Next->second.Task);
    Tasks.erase(Next);
    Lock.unlock();
    Task();
    Task = nullptr; // what it holds is freed without the lock
    Lock.lock();
  }
}

} // namespace catt
