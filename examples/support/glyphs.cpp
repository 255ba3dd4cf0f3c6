#include "glyphs.h"

#include <cstddef>

namespace support {
namespace {

constexpr Pen kCorner = Pen::kCorner;
constexpr Pen kLift = Pen::kLift;

template <std::size_t N>
constexpr Glyph glyph(const GlyphPoint (&points)[N]) {
  return {points, N};
}

// clang-format off
constexpr GlyphPoint kZeroOval[] = {
    {60, 2}, {34, 6}, {16, 28}, {12, 58}, {24, 90}, {48, 100}, {74, 86}, {86, 54}, {80, 20}, {62, 3}, {46, 5, kLift}};
constexpr GlyphPoint kZeroRound[] = {
    {50, 0}, {20, 10}, {2, 40}, {6, 76}, {34, 98}, {70, 94}, {96, 66}, {94, 28}, {72, 4}, {46, 2, kLift}};
constexpr GlyphPoint kZeroNarrow[] = {
    {58, 4}, {42, 0}, {28, 24}, {22, 60}, {30, 94}, {48, 98}, {64, 76}, {70, 40}, {64, 10}, {48, 6, kLift}};
constexpr GlyphPoint kZeroHooked[] = {
    {30, 8}, {18, 30}, {14, 66}, {30, 96}, {60, 96}, {82, 66}, {82, 28}, {64, 4}, {42, 4}, {34, 14}, {48, 20, kLift}};

constexpr GlyphPoint kOneStem[] = {{50, 0}, {50, 34}, {49, 66}, {50, 100, kLift}};
constexpr GlyphPoint kOneLeaning[] = {{60, 0}, {54, 32}, {47, 68}, {40, 100, kLift}};
constexpr GlyphPoint kOneFlag[] = {{32, 22}, {42, 13}, {53, 1, kCorner}, {51, 50}, {50, 100, kLift}};
constexpr GlyphPoint kOneBase[] = {
    {30, 20}, {50, 2, kCorner}, {50, 50}, {49, 97, kLift}, {26, 98}, {50, 98}, {76, 97, kLift}};

constexpr GlyphPoint kTwoPlain[] = {
    {10, 24}, {24, 6}, {52, 0}, {78, 12}, {78, 36}, {54, 64}, {28, 84}, {8, 97, kCorner}, {36, 96}, {64, 96}, {94, 94, kLift}};
constexpr GlyphPoint kTwoLooped[] = {
    {14, 18}, {36, 2}, {64, 6}, {74, 28}, {58, 58}, {32, 86}, {12, 97}, {4, 86}, {20, 78}, {46, 90}, {72, 98}, {98, 90, kLift}};
constexpr GlyphPoint kTwoFlat[] = {
    {6, 16}, {34, 3}, {70, 4}, {86, 22}, {66, 50}, {36, 74}, {6, 94, kCorner}, {40, 92}, {98, 99, kLift}};
constexpr GlyphPoint kTwoSwan[] = {
    {20, 26}, {30, 6}, {54, 0}, {70, 16}, {68, 42}, {48, 72}, {20, 98, kCorner}, {44, 88}, {62, 96}, {86, 94, kLift}};

constexpr GlyphPoint kThreeRound[] = {
    {16, 14}, {40, 0}, {68, 6}, {76, 24}, {62, 42}, {40, 48, kCorner}, {66, 52}, {84, 70}, {72, 92}, {42, 100}, {12, 90, kLift}};
constexpr GlyphPoint kThreeFlat[] = {
    {14, 4}, {48, 2}, {82, 3, kCorner}, {62, 22}, {42, 42, kCorner}, {72, 50}, {84, 72}, {66, 94}, {36, 100}, {10, 90, kLift}};
constexpr GlyphPoint kThreeLooped[] = {
    {12, 12}, {42, 0}, {72, 10}, {68, 32}, {44, 48}, {32, 46}, {44, 42}, {74, 54}, {84, 76}, {56, 98}, {26, 98}, {4, 88, kLift}};
constexpr GlyphPoint kThreeSoft[] = {
    {24, 8}, {52, 0}, {72, 14}, {64, 36}, {46, 46}, {66, 54}, {76, 72}, {62, 92}, {38, 100}, {20, 96, kLift}};

constexpr GlyphPoint kFourOpen[] = {
    {22, 2}, {16, 26}, {8, 52, kCorner}, {40, 52}, {84, 48, kLift}, {74, 4}, {70, 50}, {64, 100, kLift}};
constexpr GlyphPoint kFourClosed[] = {
    {92, 66}, {50, 67}, {4, 68, kCorner}, {34, 34}, {66, 0, kCorner}, {65, 50}, {62, 100, kLift}};
constexpr GlyphPoint kFourCup[] = {
    {12, 6}, {8, 30}, {20, 50}, {48, 50}, {76, 40, kLift}, {84, 0}, {78, 40}, {70, 72}, {66, 100, kLift}};
constexpr GlyphPoint kFourTall[] = {
    {34, 0}, {24, 22}, {10, 44, kCorner}, {40, 46}, {70, 40}, {76, 10, kCorner}, {72, 46}, {70, 100, kLift}};

constexpr GlyphPoint kFivePlain[] = {
    {86, 3}, {56, 4}, {30, 6, kCorner}, {26, 24}, {20, 44, kCorner}, {48, 38}, {76, 52}, {78, 78}, {52, 98}, {10, 92, kLift}};
constexpr GlyphPoint kFiveCapped[] = {
    {30, 8}, {24, 26}, {24, 42, kCorner}, {52, 44}, {74, 62}, {70, 86}, {44, 100}, {16, 94, kLift}, {30, 6}, {60, 5}, {92, 0, kLift}};
constexpr GlyphPoint kFiveSnake[] = {
    {94, 2}, {62, 6}, {38, 14}, {28, 34}, {44, 46}, {66, 58}, {68, 80}, {44, 98}, {8, 96, kLift}};
constexpr GlyphPoint kFiveWide[] = {
    {88, 0}, {34, 8, kCorner}, {30, 46, kCorner}, {62, 42}, {84, 60}, {72, 86}, {40, 98}, {6, 84, kLift}};

constexpr GlyphPoint kSixPlain[] = {
    {70, 0}, {42, 18}, {20, 48}, {14, 76}, {30, 98}, {60, 96}, {76, 74}, {62, 54}, {38, 58}, {20, 78, kLift}};
constexpr GlyphPoint kSixStraight[] = {
    {50, 0}, {34, 30}, {22, 66}, {34, 96}, {62, 96}, {72, 74}, {54, 60}, {30, 72, kLift}};
constexpr GlyphPoint kSixRound[] = {
    {78, 8}, {54, 2}, {26, 24}, {10, 60}, {24, 94}, {58, 98}, {82, 76}, {70, 52}, {40, 52}, {16, 70, kLift}};
constexpr GlyphPoint kSixCurled[] = {
    {56, 0}, {28, 26}, {14, 62}, {24, 92}, {52, 100}, {80, 86}, {80, 64}, {58, 58}, {40, 74}, {44, 88, kLift}};

constexpr GlyphPoint kSevenPlain[] = {
    {8, 6}, {44, 5}, {88, 4, kCorner}, {70, 34}, {54, 66}, {44, 100, kLift}};
constexpr GlyphPoint kSevenHooked[] = {
    {10, 24}, {12, 7, kCorner}, {48, 6}, {84, 2, kCorner}, {72, 36}, {60, 68}, {54, 100, kLift}};
constexpr GlyphPoint kSevenCrossed[] = {
    {14, 8}, {50, 6}, {84, 4, kCorner}, {66, 40}, {50, 70}, {38, 100, kLift}, {32, 54}, {56, 50}, {80, 48, kLift}};
constexpr GlyphPoint kSevenRound[] = {
    {6, 14}, {30, 6}, {62, 8}, {82, 10}, {82, 26}, {66, 56}, {56, 100, kLift}};

constexpr GlyphPoint kEightPlain[] = {
    {76, 12}, {50, 0}, {26, 12}, {30, 34}, {52, 50}, {72, 68}, {68, 92}, {44, 100}, {22, 84}, {34, 62}, {58, 42}, {76, 22}, {72, 8, kLift}};
constexpr GlyphPoint kEightRings[] = {
    {50, 46}, {24, 34}, {26, 10}, {52, 0}, {76, 14}, {72, 38}, {48, 47}, {20, 62}, {18, 88}, {48, 100}, {80, 88}, {78, 60}, {52, 46, kLift}};
constexpr GlyphPoint kEightNarrow[] = {
    {62, 10}, {48, 0}, {34, 14}, {42, 38}, {60, 64}, {60, 90}, {44, 100}, {32, 84}, {44, 56}, {60, 28}, {66, 8, kLift}};
constexpr GlyphPoint kEightOpen[] = {
    {82, 6}, {54, 2}, {26, 14}, {34, 38}, {58, 54}, {66, 78}, {48, 98}, {24, 88}, {32, 64}, {58, 40}, {92, 10, kLift}};

constexpr GlyphPoint kNinePlain[] = {
    {76, 18}, {54, 0}, {26, 10}, {16, 34}, {36, 50}, {62, 42}, {76, 18, kCorner}, {74, 46}, {68, 74}, {62, 100, kLift}};
constexpr GlyphPoint kNineCurved[] = {
    {74, 14}, {48, 2}, {22, 20}, {26, 44}, {52, 46}, {74, 18, kCorner}, {78, 50}, {70, 84}, {44, 100}, {18, 92, kLift}};
constexpr GlyphPoint kNineStraight[] = {
    {72, 10}, {44, 4}, {26, 24}, {34, 44}, {60, 36}, {74, 6, kCorner}, {72, 50}, {72, 100, kLift}};
constexpr GlyphPoint kNineSwept[] = {
    {80, 22}, {66, 2}, {36, 6}, {20, 30}, {38, 46}, {66, 38}, {80, 14}, {76, 40}, {60, 72}, {36, 100, kLift}};

constexpr Glyph kGlyphs[10][4] = {
    {glyph(kZeroOval), glyph(kZeroRound), glyph(kZeroNarrow), glyph(kZeroHooked)},
    {glyph(kOneStem), glyph(kOneLeaning), glyph(kOneFlag), glyph(kOneBase)},
    {glyph(kTwoPlain), glyph(kTwoLooped), glyph(kTwoFlat), glyph(kTwoSwan)},
    {glyph(kThreeRound), glyph(kThreeFlat), glyph(kThreeLooped), glyph(kThreeSoft)},
    {glyph(kFourOpen), glyph(kFourClosed), glyph(kFourCup), glyph(kFourTall)},
    {glyph(kFivePlain), glyph(kFiveCapped), glyph(kFiveSnake), glyph(kFiveWide)},
    {glyph(kSixPlain), glyph(kSixStraight), glyph(kSixRound), glyph(kSixCurled)},
    {glyph(kSevenPlain), glyph(kSevenHooked), glyph(kSevenCrossed), glyph(kSevenRound)},
    {glyph(kEightPlain), glyph(kEightRings), glyph(kEightNarrow), glyph(kEightOpen)},
    {glyph(kNinePlain), glyph(kNineCurved), glyph(kNineStraight), glyph(kNineSwept)}};
// clang-format on

}  // namespace

tern::ArrayRef<Glyph> glyphs_of(int digit) { return {kGlyphs[digit], 4}; }

}  // namespace support
