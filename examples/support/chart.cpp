#include "chart.h"

#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

#include <tern/core/base/error.h>

#include "axis.h"

namespace support {
namespace {

constexpr double kWidth = 840;
constexpr double kHeight = 460;
constexpr double kLeft = 74;
constexpr double kRight = kWidth - 140;
constexpr double kTop = 52;
constexpr double kBottom = kHeight - 58;
// Colours that colour-blind readers can also tell apart (Okabe and Ito).
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73",
                                    "#cc79a7", "#e69f00", "#56b4e9"};

const char* colour(std::size_t i) { return kColours[i % std::size(kColours)]; }

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

void draw_text(std::ostream& out, double x, double y, const std::string& text, const char* anchor,
               const char* more = "") {
  out << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor << "\" " << more
      << ">" << escaped(text) << "</text>\n";
}

void draw_axes(std::ostream& out, const Chart& chart, const Axis& x_axis, const Axis& y_axis) {
  out << "<g stroke=\"#e3e3e3\">\n";
  for (const Axis::Tick& tick : x_axis.ticks()) {
    out << "<path d=\"M" << tick.position << ' ' << kTop << "V" << kBottom << "\"/>\n";
  }
  for (const Axis::Tick& tick : y_axis.ticks()) {
    out << "<path d=\"M" << kLeft << ' ' << tick.position << "H" << kRight << "\"/>\n";
  }
  out << "</g>\n<path d=\"M" << kLeft << ' ' << kTop << "V" << kBottom << "H" << kRight
      << "\" fill=\"none\" stroke=\"#555\"/>\n";
  for (const Axis::Tick& tick : x_axis.ticks()) {
    draw_text(out, tick.position, kBottom + 20, tick.text, "middle");
  }
  for (const Axis::Tick& tick : y_axis.ticks()) {
    draw_text(out, kLeft - 9, tick.position + 4.5, tick.text, "end");
  }
  draw_text(out, (kLeft + kRight) / 2, kHeight - 14, chart.x_label, "middle");
  const std::string turned =
      "transform=\"rotate(-90 18 " + std::to_string((kTop + kBottom) / 2) + ")\"";
  draw_text(out, 18, (kTop + kBottom) / 2, chart.y_label, "middle", turned.c_str());
  draw_text(out, kLeft, 30, chart.title, "start", "font-size=\"17\" font-weight=\"600\"");
}

void draw_series(std::ostream& out, const Series& series, const char* stroke, const Axis& x_axis,
                 const Axis& y_axis) {
  std::ostringstream dots;
  out << "<path fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\" stroke=\"" << stroke
      << "\" d=\"";
  bool pen_down = false;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const bool shown = x_axis.shows(series.x[i]) && y_axis.shows(series.y[i]);
    if (shown) {
      const double x = x_axis.position(series.x[i]);
      const double y = y_axis.position(series.y[i]);
      out << (pen_down ? "L" : "M") << x << ' ' << y;
      dots << "<circle cx=\"" << x << "\" cy=\"" << y << "\" r=\"3\"/>\n";
    }
    pen_down = shown;
  }
  out << "\"/>\n";
  constexpr std::size_t kMostDots = 60;
  if (series.x.size() <= kMostDots)
    out << "<g fill=\"" << stroke << "\">\n" << dots.str() << "</g>\n";
}

/// Draws a piece of each line with its name, to the right of the chart.
void draw_legend(std::ostream& out, const Chart& chart) {
  double y = kTop + 12;
  for (std::size_t i = 0; i < chart.series.size(); ++i, y += 22) {
    out << "<path stroke-width=\"3\" stroke=\"" << colour(i) << "\" d=\"M" << kRight + 16 << ' '
        << y << "h22\"/>\n";
    draw_text(out, kRight + 45, y + 4.5, chart.series[i].name, "start");
  }
}

std::ofstream open_file(const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  TERN_CHECK(out, tern::FileError, "cannot open ", path, " for writing");
  return out;
}

void close_file(std::ofstream& out, const std::string& path) {
  out.close();
  TERN_CHECK(out, tern::FileError, "cannot write ", path);
}

}  // namespace

void write_chart(const std::string& path, const Chart& chart) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const Series& series : chart.series) {
    TERN_CHECK(series.x.size() == series.y.size(), tern::Error, "write_chart: series ", series.name,
               " must have as many x as y values, got ", series.x.size(), " and ", series.y.size());
    xs.insert(xs.end(), series.x.begin(), series.x.end());
    ys.insert(ys.end(), series.y.begin(), series.y.end());
  }
  const Axis x_axis(xs, chart.log_x, kLeft, kRight);
  const Axis y_axis(ys, chart.log_y, kBottom, kTop);

  std::ofstream out = open_file(path);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << kWidth << "\" height=\"" << kHeight
      << "\" viewBox=\"0 0 " << kWidth << ' ' << kHeight
      << "\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"13\" "
         "fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  draw_axes(out, chart, x_axis, y_axis);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    draw_series(out, chart.series[i], colour(i), x_axis, y_axis);
  }
  draw_legend(out, chart);
  out << "</svg>\n";
  close_file(out, path);
}

void write_csv(const std::string& path, const std::vector<std::string>& names,
               const std::vector<std::vector<double>>& rows) {
  std::ofstream out = open_file(path);
  for (std::size_t i = 0; i < names.size(); ++i) out << (i == 0 ? "" : ",") << names[i];
  out << '\n';
  for (const std::vector<double>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      char text[32];
      const char* end = std::to_chars(text, text + sizeof(text), row[i]).ptr;
      out << (i == 0 ? "" : ",") << std::string_view(text, static_cast<std::size_t>(end - text));
    }
    out << '\n';
  }
  close_file(out, path);
}

}  // namespace support
