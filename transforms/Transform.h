//===- Transform.h - How a program is changed -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Context (a kernel's report, the GPU, the files)
//     --Transform::prepare--> nothing wanted | refusals | Prepared
//     --Prepared::edit------> Edits, by an EditBuilder (SourceEdit.h)
//
// A transform is one object of one class in one file, listed in Transforms.def.
// It reads a finished report and the text of the files, and nothing else: the
// same report and text give the same edits. Nothing here decides; the plan in
// the report has.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_TRANSFORM_H
#define CATT_TRANSFORMS_TRANSFORM_H

#include "analysis/Analysis.h"
#include "analysis/model/Part.h"
#include "clang/Format/Format.h"
#include "clang/Tooling/Core/Replacement.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace catt {

class EditBuilder;
class FilePlaces;

/// What one transform did to one kernel, for the remarks.
struct Applied {
  const class Transform *By = nullptr;
  Location Where;
  std::string Summary; ///< "split into 2 warp groups"
};

/// A file that may change: its text, and what follows from it.
class FileContext {
public:
  /// Both must outlive it; without a style added lines are formatted like the
  /// lines around them.
  explicit FileContext(const std::string &Text,
                       const clang::format::FormatStyle *Style = nullptr);
  /// Where functions can be added; found on first use.
  const FilePlaces &places() const;

  const std::string &Text;
  const clang::format::FormatStyle *Style;
  std::string LineEnding;     ///< the dominant one
  bool MayBeMarked = false;   ///< the text "catt:" occurs somewhere
  bool MentionsCatt = false;  ///< some identifier could begin with "catt"
  std::string MacroOnBuiltin; ///< "blockDim", if the file #defines it

private:
  mutable std::shared_ptr<const FilePlaces> Places;
};

/// Every file that may change, by absolute path.
using FileContexts = std::map<std::string, FileContext>;

/// Formatting of added lines by absolute path, as the .clang-format beside the
/// file gives it; files that are absent: like the surrounding lines.
using FileStyles = std::map<std::string, clang::format::FormatStyle>;

/// Where functions stand that rewritten code calls: in the file, or in
/// catt/staged_rows.h, which is installed with the tool.
enum class Runtime : uint8_t { Inline, Header };

/// How what is added is written.
struct Writing {
  FileStyles Styles;
  Runtime From = Runtime::Inline;
};

/// What is known of these texts; both must outlive it.
FileContexts contextsOf(const std::map<std::string, std::string> &Texts,
                        const FileStyles &Styles = {});

/// A call, in what a transform writes, of a function that has to be in the file
/// (AddedFunctions.h).
struct AddedCall {
  std::string Function; ///< "cattShared"
  const class Transform *By = nullptr;
  std::string File;
  unsigned At = 0;            ///< where
  std::vector<unsigned> Tops; ///< as LaunchText::Tops
};

/// A file's absolute path, and an offset in its text.
using TextPlace = std::pair<std::string, unsigned>;

/// What is added at one place, or put there in place of what was.
class Insertion {
public:
  /// Adds what ends a text that is enclosed from Begin on: behind what ends
  /// texts inside that one. Of two that begin at one offset the later one is
  /// the inner one.
  void close(unsigned Begin, std::string Text);
  /// Adds behind all closings and what was added before.
  void append(llvm::StringRef Text) { Rest += Text; }
  /// Adds what must stand directly before the text that follows.
  void touch(llvm::StringRef Text) { Last += Text; }
  /// Adds whole lines, before all but closings.
  void lead(llvm::StringRef Text) { Lines += Text; }
  /// Adds a call as an argument that is not there, "Open 0 Close"; several are
  /// one argument, the later ones inside. Head: "prefer-l1(11)".
  void call(std::string Head, std::string Open, std::string Close);
  /// Adds each piece of another insertion as it was added there.
  void add(const Insertion &Other);
  std::string text() const;

private:
  struct Closing {
    unsigned Begin;
    std::string Text;
  };
  struct Call {
    std::string Head, Open, Close;
  };
  std::vector<Closing> Closings; ///< the innermost first
  std::vector<Call> Calls;       ///< the outermost first
  std::string Lines, Rest, Last;
};

/// A part of a kernel's plan that a transform refuses.
struct Shortfall {
  size_t Kernel = 0; ///< of Report::Kernels
  const class Transform *By = nullptr;
  std::vector<Refusal> Why;
  std::vector<Location> Done; ///< what it does all the same

  /// Why nothing is done there; empty: something is.
  std::optional<Refusal> refusedAt(const Location &Where) const;
};

/// What a rewrite writes, and what that stands for. An edit is new text for a
/// span; one that adds is the case of an empty span.
struct Edits {
  std::map<SourceSpan, Insertion> Added;
  /// The same, as rewrite() returns it: by absolute path.
  std::map<std::string, clang::tooling::Replacements> Files;
  std::vector<Applied> Done;
  std::vector<Refusal> Refused;
  std::vector<Shortfall> Shortfalls;
  std::vector<AddedCall> Calls;
};

/// What Transforms.def says of a transform.
struct TransformTraits {
  /// What a decision to use it is taken for.
  enum class Scope : uint8_t { Loop, Kernel, Launch };
  llvm::StringRef Name; ///< "split-warp-groups": in --transforms and docs/
  Part Writes;          ///< what it makes of a variant
  Scope DecidedFor;
  bool IsDefault;      ///< runs where the user names no transforms
  bool NeedsRegisters; ///< goes by what registers the kernel takes
  bool EditsLaunches;
};

/// All that a transform goes by. What prepare() returns borrows from it.
struct Context {
  const KernelReport &Kernel;
  const Device &Gpu;
  const Toolkit &Cuda;
  const FileContexts &Files;
};

/// What prepare() found, ready to be written: the code, and where it goes.
class Prepared {
public:
  virtual ~Prepared() = default;
  virtual void edit(EditBuilder &Out) const = 0;
};

/// What becomes of one kernel: nothing where the plan asks for nothing. Parts
/// of it may be refused and the others written.
struct Preparation {
  Preparation() = default;
  Preparation(Refusal Why) : Refusals{std::move(Why)} {}
  Preparation(std::vector<Refusal> Why) : Refusals(std::move(Why)) {}
  template <class T>
  Preparation(std::unique_ptr<T> Found) : Found(std::move(Found)) {}
  std::vector<Refusal> Refusals;
  std::unique_ptr<const Prepared> Found;
};

class Transform {
public:
  explicit Transform(const TransformTraits &Traits) : Traits(Traits) {}
  virtual ~Transform() = default;
  const TransformTraits &traits() const { return Traits; }
  llvm::StringRef name() const { return Traits.Name; }
  bool writes(Part P) const { return Traits.Writes == P; }
  /// One sentence; the same in the header, the page and --help.
  virtual llvm::StringRef summary() const = 0;
  /// Finds what the plan asks for in the text, and what stands against it.
  virtual Preparation prepare(const Context &C) const = 0;

  /// Takes what it refused out of what the kernel may be planned with. False if
  /// no plan goes by it, or the plan did not have that part.
  virtual bool giveUp(KernelReport &, const Shortfall &) const { return false; }
  /// Whether an earlier run has changed how many of the kernel's warps run
  /// together. What that gains the analysis does not see again, so that more
  /// might seem to help; what was decided for a kernel stays.
  virtual bool hasThrottled(const Kernel &, const FileContexts &) const {
    return false;
  }
  /// "4 warp groups": what an earlier run has put around a loop, or nothing.
  virtual std::string foundAround(const std::string &,
                                  const SourceSpan &) const {
    return "";
  }

private:
  TransformTraits Traits;
};

/// The one object of each class, defined beside its code.
#define TRANSFORM(Class, ...)                                                  \
  const Transform &the##Class(const TransformTraits &Traits);
#include "transforms/Transforms.def"

/// Every transform, in the order in which they are applied.
llvm::ArrayRef<const Transform *> allTransforms();

/// nullptr if there is none of this name.
const Transform *findTransform(llvm::StringRef Name);

/// The one that writes the part.
const Transform &transformFor(Part P);

/// Which transforms run: those that are named, every one for "all", those that
/// are default where no name is given; try-launches always, where a plan asks
/// for it.
std::vector<const Transform *>
chosenTransforms(llvm::ArrayRef<std::string> Names);
/// With a report: also those that kernels with options of their own want.
std::vector<const Transform *>
chosenTransforms(const Report &R, llvm::ArrayRef<std::string> Names);
bool isChosen(const Transform &T, llvm::ArrayRef<std::string> Names);
bool isChosen(Part Written, llvm::ArrayRef<std::string> Names);

/// Error: one of the names is no transform's.
llvm::Error checkNames(llvm::ArrayRef<std::string> Names);

struct RewriteOptions {
  /// Names, or "all"; empty: those that are default.
  std::vector<std::string> Transforms;
  Writing How;
};

/// Runs the chosen transforms over every kernel of the report, and over one
/// with options of its own those that these have. Edits of several
/// instantiations of one template are merged where equal, and refused where
/// they differ. Error: an unknown transform name.
llvm::Expected<Edits> rewrite(const Report &Report,
                              const RewriteOptions &Options);
/// The same with these transforms, whether or not they are chosen. A kernel
/// with options of its own has no others than those.
Edits rewrite(const Report &Report,
              llvm::ArrayRef<const Transform *> Transforms, const Writing &How);

/// Whether the span cannot be changed beside the edits: it shares bytes with
/// what one of them replaces, or one adds text inside it or the other way
/// round. Where they only touch, both can be.
bool overlapsOther(const Edits &Edits, const SourceSpan &Span);

/// Makes Files of what was added.
void assemble(Edits &Edits);

/// The texts after the edits in Files: only files that change.
llvm::Expected<std::map<std::string, std::string>>
apply(const Edits &Edits, const std::map<std::string, std::string> &Texts);

/// Added text without the reasons in its markers, which name bytes and warps of
/// one instantiation: "// catt: name(2): reason" becomes "// catt: name(2)",
/// and the comments below that go on with the reason disappear.
std::string withoutReasons(llvm::StringRef Text);

/// Takes every edit of this tool out of a text, by its markers. Returns the
/// text unchanged if there is none. Error: a marker was damaged by hand; the
/// message names file, line and what to do.
llvm::Expected<std::string> revert(llvm::StringRef File, llvm::StringRef Text);

} // namespace catt

#endif
