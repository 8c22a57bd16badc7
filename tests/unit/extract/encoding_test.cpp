#include "extract/encoding.hpp"

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

std::string read_as(std::string_view bytes, std::string_view label) {
  return decode(bytes, encoding_named(label));
}
std::string_view found(std::string_view html, std::string_view charset = "") {
  return encoding_of(html, charset, OwnWord::meta);
}

TEST(Encoding, labels_are_those_of_browsers) {
  EXPECT_EQ(encoding_named("utf8"), "UTF-8");
  EXPECT_EQ(encoding_named(" UTF-8\n"), "UTF-8");
  EXPECT_EQ(encoding_named("iso-8859-1"), "windows-1252");
  EXPECT_EQ(encoding_named("ASCII"), "windows-1252");
  EXPECT_EQ(encoding_named("iso-8859-9"), "windows-1254");
  EXPECT_EQ(encoding_named("gb2312"), "GBK");
  EXPECT_EQ(encoding_named("utf-16"), "UTF-16LE");
  EXPECT_EQ(encoding_named("ks_c_5601-1987"), "EUC-KR");
  EXPECT_EQ(encoding_named("logical"), "ISO-8859-8-I");
  EXPECT_EQ(encoding_named("x-sjis"), "Shift_JIS");
  EXPECT_EQ(encoding_named("iso-2022-kr"), "replacement");
}

TEST(Encoding, utf_7_and_unknown_labels_are_none) {
  EXPECT_EQ(encoding_named("utf-7"), "");
  EXPECT_EQ(encoding_named("utf-32"), "");
  EXPECT_EQ(encoding_named(""), "");
  EXPECT_EQ(encoding_named("utf-8x"), "");
}

TEST(Encoding, every_encoding_can_be_decoded) {
  for (const char* label :
       {"utf-8",        "ibm866",        "iso-8859-2",   "iso-8859-3",     "iso-8859-4",
        "iso-8859-5",   "iso-8859-6",    "iso-8859-7",   "iso-8859-8",     "iso-8859-8-i",
        "iso-8859-10",  "iso-8859-13",   "iso-8859-14",  "iso-8859-15",    "iso-8859-16",
        "koi8-r",       "koi8-u",        "macintosh",    "windows-874",    "windows-1250",
        "windows-1251", "windows-1252",  "windows-1253", "windows-1254",   "windows-1255",
        "windows-1256", "windows-1257",  "windows-1258", "x-mac-cyrillic", "gbk",
        "gb18030",      "big5",          "euc-jp",       "iso-2022-jp",    "shift_jis",
        "euc-kr",       "x-user-defined"}) {
    EXPECT_EQ(read_as("Hello", label), "Hello") << label;
    EXPECT_NE(encoding_named(label), "") << label;
  }
}

TEST(Encoding, texts_of_the_world) {
  EXPECT_EQ(read_as("caf\xE9 \x80", "latin1"), "café €");
  EXPECT_EQ(read_as("\xCF\xF0\xE8\xE2\xE5\xF2", "cp1251"), "Привет");
  EXPECT_EQ(read_as("\xF0\xD2\xC9\xD7\xC5\xD4", "koi8-r"), "Привет");
  EXPECT_EQ(read_as("\x93\xFA\x96\x7B", "sjis"), "日本");
  EXPECT_EQ(read_as("\xC6\xFC\xCB\xDC", "euc-jp"), "日本");
  EXPECT_EQ(read_as("\x1B$BF|K\\\x1B(B", "iso-2022-jp"), "日本");
  EXPECT_EQ(read_as("\xD6\xD0\xCE\xC4", "gb2312"), "中文");
  EXPECT_EQ(read_as("\xA4\xA4\xA4\xE5", "big5"), "中文");
  EXPECT_EQ(read_as("\xC7\xD1\xB1\xDB", "euc-kr"), "한글");
  EXPECT_EQ(read_as("\xAA\xDE", "iso-8859-16"), "ȘȚ");
  EXPECT_EQ(read_as("a\xFF", "x-user-defined"), "a\uF7FF");
  EXPECT_EQ(read_as(std::string_view("a\0\x3D\xD8\x00\xDE", 6), "utf-16le"), "a😀");
}

TEST(Encoding, bad_bytes_become_the_replacement_character) {
  EXPECT_EQ(read_as("a\xFF\xE2\x82z", "utf-8"), "a\uFFFD\uFFFDz");
  EXPECT_EQ(read_as("\xED\xA0\x80", "utf-8"), "\uFFFD\uFFFD\uFFFD") << "half a pair";
  EXPECT_EQ(read_as("\x81", "sjis"), "\uFFFD");
  EXPECT_EQ(read_as(std::string_view("\x3D\xD8z\0", 4), "utf-16le"), "\uFFFDz");
  EXPECT_EQ(read_as("whatever", "iso-2022-kr"), "\uFFFD");
}

TEST(Encoding, a_pair_across_two_pieces_of_the_conversion_stays_whole) {
  for (std::size_t before : {4094U, 4095U, 4096U}) {
    std::string bytes;
    for (std::size_t i = 0; i < before; ++i) bytes.append("a\0", 2);
    bytes.append("\x3D\xD8\x00\xDE", 4);
    EXPECT_TRUE(read_as(bytes, "utf-16le").ends_with("a😀")) << before;
  }
}

TEST(Encoding, a_byte_order_mark_comes_first_and_is_left_out) {
  EXPECT_EQ(found("\xEF\xBB\xBFx", "latin1"), "UTF-8");
  EXPECT_EQ(found("\xFF\xFEx", "latin1"), "UTF-16LE");
  EXPECT_EQ(found("\xFE\xFFx", "latin1"), "UTF-16BE");
  EXPECT_EQ(decode("\xEF\xBB\xBFx", "UTF-8"), "x");
  EXPECT_EQ(decode(std::string_view("\xFE\xFF\0x", 4), "UTF-16BE"), "x");
}

TEST(Encoding, the_header_comes_before_the_meta_tag) {
  EXPECT_EQ(found("<meta charset=koi8-r>", "cp1251"), "windows-1251");
  EXPECT_EQ(found("<meta charset=koi8-r>", "nonsense"), "KOI8-R");
}

TEST(Encoding, without_a_word_it_is_utf_8_or_else_windows_1252) {
  EXPECT_EQ(found("plain"), "UTF-8");
  EXPECT_EQ(found("caf\xC3\xA9"), "UTF-8");
  EXPECT_EQ(found("caf\xE9 au lait"), "windows-1252");
  EXPECT_EQ(found("caf\xC3"), "UTF-8") << "cut off in the middle of a character";
}

// The prescan, step by step.

TEST(MetaPrescan, finds_charset_and_http_equiv) {
  EXPECT_EQ(encoding_in_meta("<html><head><META CharSet = 'KOI8-R' >"), "KOI8-R");
  EXPECT_EQ(encoding_in_meta("<meta/charset=\"sjis\"/>"), "Shift_JIS");
  EXPECT_EQ(
      encoding_in_meta("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=gbk\">"),
      "GBK");
  EXPECT_EQ(
      encoding_in_meta("<meta content='a charset; charset = \"big5\"' http-equiv=content-type>"),
      "Big5");
}

TEST(MetaPrescan, content_counts_only_with_its_pragma) {
  EXPECT_EQ(encoding_in_meta("<meta content='text/html; charset=gbk'>"), "");
  EXPECT_EQ(encoding_in_meta("<meta http-equiv=refresh content='text/html; charset=gbk'>"), "");
}

TEST(MetaPrescan, comments_and_attributes_of_other_tags_do_not_count) {
  EXPECT_EQ(encoding_in_meta("<!-- <meta charset=gbk> --><meta charset=koi8-r>"), "KOI8-R");
  EXPECT_EQ(encoding_in_meta("<!--><meta charset=gbk>"), "GBK");
  EXPECT_EQ(encoding_in_meta("<a title='<meta charset=gbk>'><meta charset=koi8-r>"), "KOI8-R");
  EXPECT_EQ(encoding_in_meta("</p <meta charset=gbk>><metax charset=gbk>"), "");
  EXPECT_EQ(encoding_in_meta("<?x <meta charset=gbk>?><!x <meta charset=gbk>"), "");
}

TEST(MetaPrescan, utf_16_and_user_defined_are_not_believed) {
  EXPECT_EQ(encoding_in_meta("<meta charset=utf-16>"), "UTF-8");
  EXPECT_EQ(encoding_in_meta("<meta charset=x-user-defined>"), "windows-1252");
}

TEST(MetaPrescan, an_unknown_label_does_not_end_the_search) {
  EXPECT_EQ(encoding_in_meta("<meta charset=utf-7><meta charset=koi8-r>"), "KOI8-R");
  EXPECT_EQ(encoding_in_meta("<meta charset=koi8-r charset=gbk>"), "KOI8-R") << "the first counts";
}

TEST(MetaPrescan, only_the_first_1024_bytes_are_read) {
  const std::string padding(1010, ' ');
  EXPECT_EQ(encoding_in_meta(padding + "<meta charset=koi8-r>"), "");
  EXPECT_EQ(encoding_in_meta(padding.substr(30) + "<meta charset=koi8-r>"), "KOI8-R");
}

TEST(MetaPrescan, an_xml_declaration_is_read_too) {
  EXPECT_EQ(encoding_in_meta("<?xml version='1.0' encoding='koi8-r'?><html>"), "KOI8-R");
  EXPECT_EQ(encoding_in_xml_declaration("<?xml version=\"1.0\" encoding = \"ISO-8859-1\" ?>"),
            "windows-1252");
  EXPECT_EQ(encoding_in_xml_declaration("<x encoding='koi8-r'/>"), "");
  EXPECT_EQ(encoding_in_xml_declaration(std::string_view("<\0?\0x\0m\0", 8)), "UTF-16LE");
}

TEST(MetaPrescan, ends_on_any_cut) {
  const std::string page =
      "<!-- x --><a b='c' d=e f><meta http-equiv=\"Content-Type\" content='text/html;charset=gbk'>";
  for (std::size_t size = 0; size <= page.size(); ++size)
    encoding_in_meta(std::string_view(page).substr(0, size));
  EXPECT_EQ(encoding_in_meta(page), "GBK");
}

TEST(Binary, text_is_told_from_other_bytes) {
  EXPECT_FALSE(is_binary("Hello\r\n\tworld \x1B[1m", "UTF-8", false));
  EXPECT_TRUE(is_binary(std::string_view("a\0b", 3), "UTF-8", false));
  EXPECT_FALSE(is_binary("a" + std::string(200, ' ') + std::string(1, '\0'), "UTF-8", true))
      << "declared as text";
  EXPECT_TRUE(is_binary(std::string(10, '\x01'), "UTF-8", true));
  EXPECT_FALSE(is_binary(std::string_view("a\0b\0", 4), "UTF-16LE", false));
  EXPECT_FALSE(is_binary("", "UTF-8", false));
}

}  // namespace
}  // namespace pollux::extract
