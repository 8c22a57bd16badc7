// Whatever is brought along, it ends, and says what it was.
#include "import/gunzip.hpp"
#include "imported.hpp"

#include <zlib.h>

namespace pollux::import {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string out;
  out.reserve(text.size() * static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// Zeros, as many as asked for, in about a thousandth of that.
std::string gzip_bomb(std::size_t bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string zeros(1 << 20, '\0'), out, piece(1 << 16, '\0');
  for (std::size_t done = 0; done <= bytes; done += zeros.size()) {
    const bool last = done + zeros.size() > bytes;
    stream.next_in = reinterpret_cast<Bytef*>(zeros.data());
    stream.avail_in = static_cast<uInt>(zeros.size());
    int status = Z_OK;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream.avail_out = static_cast<uInt>(piece.size());
      status = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
      out.append(piece, 0, piece.size() - stream.avail_out);
    } while (stream.avail_in > 0 || (last && status != Z_STREAM_END));
  }
  deflateEnd(&stream);
  return out;
}

TEST(HostileImport, a_gigabyte_in_a_megabyte_is_refused) {
  const Error error = refused(repeated(gzip_bomb((std::size_t{64} << 20U) - 1), 16));
  EXPECT_EQ(error.exit_code, ExitCode::bad_data);
  EXPECT_TRUE(contains(error.message, "when unpacked")) << error.message;
}

TEST(HostileImport, ten_thousand_levels_are_refused_in_every_format) {
  const int deep = 10'000;
  EXPECT_TRUE(contains(refused(repeated("<urlset><url>", deep)).message, "deep"));
  EXPECT_FALSE(refused("{\"watching\":" + repeated("[", deep)).message.empty());
  EXPECT_FALSE(refused("url: " + repeated("[", deep), Format::urlwatch).message.empty());
  EXPECT_FALSE(refused("url:\n" + repeated("- ", deep) + "x\n", Format::urlwatch).message.empty());
}

TEST(HostileImport, a_sitemap_with_entities_of_its_own_is_refused_as_what_it_is) {
  const std::string entity = "<!DOCTYPE r [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>";
  for (const char* root : {"urlset", "opml"}) {
    const std::string text =
        "<?xml version=\"1.0\"?>" + entity + "<" + root + ">&e;</" + root + ">";
    const Error error = refused(text);
    EXPECT_TRUE(contains(error.message, "document type of its own")) << error.message;
  }
}

TEST(HostileImport, aliases_that_multiply_themselves_are_refused) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
            repeated("*a" + std::to_string(i - 1) + ", ", 9) + "x]\n";
  }
  const Error error = refused(text + "url: https://a.example/\n", Format::urlwatch);
  EXPECT_TRUE(contains(error.message, "stand for more than")) << error.message;
}

TEST(HostileImport, a_million_urls_are_taken) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "https://host.example/" + std::to_string(i) + "\n";
  const Imported list = imported(text);
  EXPECT_EQ(list.pages.size(), 1'000'000u);
  const std::string yaml = pages_yaml(list, {}, "");
  EXPECT_EQ(std::count(yaml.begin(), yaml.end(), '\n'), 1'000'001);
}

TEST(HostileImport, a_million_bad_lines_are_counted_and_the_first_told) {
  const Imported list = imported(repeated("nonsense\n", 1'000'000) + "https://a.example/\n");
  EXPECT_EQ(list.pages.size(), 1u);
  EXPECT_EQ(list.left_out.count, 1'000'000u);
  EXPECT_EQ(list.left_out.kept.size(), 1000u);
}

TEST(HostileImport, notes_are_one_printable_line_each) {
  const Imported list =
      imported("evil\x1b[31m\x01\n\xff\xfe\xfd\nhttps://a.example/ \x1b]0;x\x07\n");
  for (const Note& note : list.left_out.kept) {
    for (const char c : note.what + note.url) {
      EXPECT_GE(static_cast<unsigned char>(c), 0x20u);
      EXPECT_NE(c, 0x7F);
    }
  }
}

TEST(HostileImport, an_archive_is_named) {
  EXPECT_TRUE(contains(refused("PK\x03\x04 and so on").message, "unpack it"));
}

TEST(HostileImport, nothing_at_all_is_a_list_without_pages) {
  EXPECT_TRUE(imported("").pages.empty());
  EXPECT_TRUE(imported("\n\n# nothing\n").pages.empty());
  EXPECT_TRUE(imported("", Format::csv).pages.empty());
  EXPECT_TRUE(imported("", Format::urlwatch).pages.empty());
  EXPECT_TRUE(imported("", Format::bookmarks).pages.empty());
}

TEST(Gunzip, reads_several_members_and_refuses_what_is_too_long) {
  const std::string bomb = gzip_bomb(1 << 20);
  const Result<std::string> two = gunzip(bomb + bomb, std::size_t{8} << 20U);
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(two->size(), std::size_t{4} << 20U);
  EXPECT_FALSE(gunzip(bomb, 1000).ok());
  EXPECT_FALSE(gunzip("\x1f\x8b", 1000).ok());
}

}  // namespace
}  // namespace pollux::import
