#include "calibration/logs/source.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "input/file.hpp"
#include "input/interruption.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t packed_piece = std::size_t{1} << 16U;
constexpr int gzip_only = 16 + MAX_WBITS;

bool is_gzip(const char* begin, const char* end) {
  return end - begin >= 2 && begin[0] == '\x1f' && begin[1] == '\x8b';
}

}  // namespace

struct Source::Inflater {
  z_stream stream{};
  std::vector<char> packed;
  bool between_members = false;

  Inflater() : packed(packed_piece) { ready = inflateInit2(&stream, gzip_only) == Z_OK; }
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  bool ready = false;
};

Source::Source(const std::string& origin)
    : origin_(std::make_shared<const std::string>(origin)),
      buffer_(std::make_unique_for_overwrite<char[]>(buffer_bytes)) {
  begin_ = end_ = buffer_.get();
}

Source::~Source() = default;

std::unique_ptr<Source> Source::open(const std::string& path, input::Problems& problems) {
  std::string problem;
  auto file = input::InputFile::open(path, problem);
  if (!file) {
    problems.add_file(path, problem);
    return nullptr;
  }
  std::unique_ptr<Source> source(new Source(input::is_standard_input(path) ? input::file_name(path) : path));
  source->file_ = std::move(file);
  source->start();
  if (source->begin_ == source->end_) {
    problems.add_file(path, source->failure_.empty() ? "the file is empty" : source->failure_);
    return nullptr;
  }
  return source;
}

std::unique_ptr<Source> Source::of_text(std::string text, const std::string& origin) {
  std::unique_ptr<Source> source(new Source(origin));
  source->text_ = std::move(text);
  source->start();
  return source;
}

void Source::start() {
  more();
  if (is_gzip(begin_, end_)) start_unzipping();
  const std::string_view available(begin_, static_cast<std::size_t>(end_ - begin_));
  begin_ += available.size() - input::without_mark(available).size();
}

void Source::start_unzipping() {
  inflater_ = std::make_unique<Inflater>();
  if (!inflater_->ready) failure_ = "not enough memory to decompress it";
  // The bytes read so far are compressed.
  inflater_->packed.assign(begin_, end_);
  inflater_->stream.next_in = reinterpret_cast<Bytef*>(inflater_->packed.data());
  inflater_->stream.avail_in = static_cast<uInt>(end_ - begin_);
  begin_ = end_ = buffer_.get();
  read_ = 0;
  ended_ = !failure_.empty();
  more();
}

std::size_t Source::read_raw(char* to, std::size_t most) {
  if (file_ == nullptr) {
    const std::size_t count = std::min(most, text_.size() - text_at_);
    std::copy_n(text_.data() + text_at_, count, to);
    text_at_ += count;
    return count;
  }
  const std::size_t count = file_->read(to, most);
  if (file_->failed()) failure_ = "reading failed before the end of the file";
  return count;
}

std::size_t Source::unzip(char* to, std::size_t most) {
  z_stream& stream = inflater_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(to);
  stream.avail_out = static_cast<uInt>(most);
  while (stream.avail_out > 0) {
    if (stream.avail_in == 0) {
      const std::size_t count = read_raw(inflater_->packed.data(), inflater_->packed.size());
      if (count == 0) {
        if (!inflater_->between_members && failure_.empty()) failure_ = "the gzip data is truncated";
        break;
      }
      stream.next_in = reinterpret_cast<Bytef*>(inflater_->packed.data());
      stream.avail_in = static_cast<uInt>(count);
    }
    if (inflater_->between_members) {
      // gzip files may be concatenated; anything else after the end is padding.
      if (*stream.next_in != 0x1f) break;
      inflateReset(&stream);
      inflater_->between_members = false;
    }
    const int result = inflate(&stream, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      inflater_->between_members = true;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      failure_ = fmt::format("the gzip data is damaged{}{}", stream.msg != nullptr ? ": " : "",
                             stream.msg != nullptr ? stream.msg : "");
      break;
    }
  }
  return most - stream.avail_out;
}

std::size_t Source::read_some(char* to, std::size_t most) {
  return inflater_ ? unzip(to, most) : read_raw(to, most);
}

bool Source::more() {
  if (ended_) return false;
  input::throw_if_interrupted();
  if (taken() - mark_ > max_unmarked_) {
    failure_ = fmt::format("a single value longer than {} bytes", max_unmarked_);
    ended_ = true;
    return false;
  }
  if (begin_ != buffer_.get()) {
    const auto kept = static_cast<std::size_t>(end_ - begin_);
    std::memmove(buffer_.get(), begin_, kept);
    begin_ = buffer_.get();
    end_ = begin_ + kept;
  }
  const auto room = buffer_bytes - static_cast<std::size_t>(end_ - begin_);
  if (room == 0) return false;
  const std::size_t count = read_some(end_, room);
  end_ += count;
  read_ += count;
  if (read_ > max_bytes) {
    failure_ = fmt::format("longer than {} bytes", max_bytes);
    ended_ = true;
  }
  if (count < room) ended_ = true;
  return count > 0;
}

std::string_view Source::peek() {
  while (static_cast<std::size_t>(end_ - begin_) < max_peeked && more()) {
  }
  return {begin_, std::min(max_peeked, static_cast<std::size_t>(end_ - begin_))};
}

std::string without_colours(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\x1b' || at + 1 >= text.size() || text[at + 1] != '[') {
      plain += text[at];
      continue;
    }
    at += 2;
    while (at < text.size() && std::string_view("0123456789;?").find(text[at]) != std::string_view::npos)
      ++at;
  }
  return plain;
}

bool Source::next_line(std::string_view& line) {
  if (!next_raw_line(line)) return false;
  if (line.find('\x1b') == std::string_view::npos) return true;
  plain_ = without_colours(line);
  line = plain_;
  return true;
}

bool Source::next_raw_line(std::string_view& line) {
  if (line_ == std::numeric_limits<int>::max()) {
    failure_ = "too many lines";
    return false;
  }
  std::size_t searched = 0;
  for (;;) {
    const auto length = static_cast<std::size_t>(end_ - begin_);
    const auto* const newline =
        length > searched ? static_cast<char*>(std::memchr(begin_ + searched, '\n', length - searched))
                          : nullptr;
    if (newline != nullptr) {
      const auto size = static_cast<std::size_t>(newline - begin_);
      line = {begin_, size - (size > 0 && *(newline - 1) == '\r' ? 1 : 0)};
      begin_ += size + 1;
      ++line_;
      unterminated_ = false;
      return true;
    }
    searched = length;
    if (length > chunk_bytes) {
      failure_ = fmt::format("a line longer than {} bytes", chunk_bytes);
      ++line_;
      return false;
    }
    if (more()) continue;
    if (begin_ == end_ || !failure_.empty()) return false;
    line = {begin_, static_cast<std::size_t>(end_ - begin_)};
    begin_ = end_;
    unterminated_ = true;
    ++line_;
    return true;
  }
}

void Source::fail(input::Problems& problems, int line, std::string message, std::string hint) const {
  problems.add({origin_, line, 0}, {}, std::move(message), std::move(hint));
}

}  // namespace jostle::calibration
