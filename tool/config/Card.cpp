//===- Card.cpp - A card that was measured --------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/config/Card.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>

using namespace llvm;

namespace catt {

/// A rate whose spread is more of its value was measured beside other work.
static constexpr double MostSpread = 0.25;

namespace {
class CardReader {
public:
  CardReader(const json::Object &All, StringRef Path) : All(All), Path(Path) {}
  Expected<Device> read();

private:
  const json::Object &All;
  StringRef Path;
  std::string Wrong; ///< what is, first

  void miss(const Twine &What) {
    if (Wrong.empty())
      Wrong = What.str();
  }
  int64_t count(StringRef Name);
  double rate(StringRef Name);
  double lastOfCurve(StringRef Name);
};
} // namespace

int64_t CardReader::count(StringRef Name) {
  const std::optional<int64_t> Value = All.getInteger(Name);
  if (!Value || *Value <= 0)
    miss("'" + Name + "' is no number above 0");
  return Value.value_or(0);
}

static bool isPositive(std::optional<double> Value) {
  return Value && std::isfinite(*Value) && *Value > 0;
}

double CardReader::rate(StringRef Name) {
  const json::Array *Rates = All.getArray("rates");
  for (const json::Value &Each : Rates ? *Rates : json::Array()) {
    const json::Object *Rate = Each.getAsObject();
    if (!Rate || Rate->getString("name") != Name)
      continue;
    const std::optional<double> Value = Rate->getNumber("value");
    if (!isPositive(Value)) {
      miss("rate '" + Name + "' is no number above 0");
      return 0;
    }
    if (Rate->getNumber("spread").value_or(0) > MostSpread * *Value)
      miss("rate '" + Name +
           "' varied by more than a quarter, so that other "
           "programs were on the GPU");
    return *Value;
  }
  miss("it has no rate '" + Name + "'");
  return 0;
}

double CardReader::lastOfCurve(StringRef Name) {
  const json::Object *Curves = All.getObject("curves");
  const json::Array *Points = Curves ? Curves->getArray(Name) : nullptr;
  const json::Array *Last =
      Points && !Points->empty() ? Points->back().getAsArray() : nullptr;
  const std::optional<double> Value =
      Last && Last->size() == 2 ? (*Last)[1].getAsNumber() : std::nullopt;
  if (!isPositive(Value))
    miss("it has no curve '" + Name + "'");
  return Value.value_or(0);
}

Expected<Device> CardReader::read() {
  if (All.getInteger("version") != 1)
    miss("its version is not 1");
  const std::string Card = All.getString("card").value_or("").str();
  if (Card.empty())
    miss("it does not name its card");
  CardRates Rates;
  Rates.Hit = rate("hit");
  Rates.L2 = rate("l2");
  Rates.Dram = rate("dram");
  Rates.L2Sector = rate("l2_sector_scattered");
  Rates.DramSector = rate("dram_sector_scattered");
  Rates.Barrier = rate("barrier");
  Rates.Port = lastOfCurve("port_cycles_by_lines");
  Rates.L2Bytes = count("l2_bytes");
  const int64_t SMs = count("sms"), Capability = count("capability");
  if (!Wrong.empty())
    return createStringError("'" + Path + "' is no measured card: " + Wrong +
                             "; catt-tune --calibrate writes one");
  Expected<Device> Out = findDevice("sm_" + std::to_string(Capability));
  if (!Out)
    return Out.takeError();
  Out->Name = Card;
  Out->SMs = SMs;
  Out->SMsFrom = "measured";
  Out->Rates = Rates;
  return Out;
}

bool isCardFile(StringRef Name) { return Name.ends_with_insensitive(".json"); }

Expected<Device> parseCard(StringRef Text, StringRef Path) {
  Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed)
    return createStringError("'" + Path +
                             "' is no JSON: " + toString(Parsed.takeError()));
  const json::Object *All = Parsed->getAsObject();
  return CardReader(All ? *All : json::Object(), Path).read();
}

Expected<Device> findCard(StringRef NameOrFile) {
  if (!isCardFile(NameOrFile))
    return findDevice(NameOrFile);
  auto Buffer = MemoryBuffer::getFile(NameOrFile, /*IsText=*/true);
  if (!Buffer)
    return createStringError(
        "'" + NameOrFile + "' cannot be read: " + Buffer.getError().message());
  return parseCard((*Buffer)->getBuffer(), NameOrFile);
}

} // namespace catt
