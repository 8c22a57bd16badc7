#include "extract/html_parser.hpp"

#include "extract/doctype.hpp"
#include "extract/grouped.hpp"

#include <algorithm>
#include <chrono>
#include <new>

namespace pollux::extract {
namespace {

// Between two pieces of the document bounds are looked at even if one tag is longer than a piece.
constexpr std::size_t piece_size = std::size_t{16} << 10U;
// What MyHTML may take. The flat tree takes half of it at most, so both stay below 128 MB.
constexpr std::size_t most_tree_bytes = std::size_t{64} << 20U;
// MyHTML compares each attribute of a second <html> or <body> with each of the first, and
// formatting elements with each other.
constexpr std::size_t most_attributes = 1'000;
constexpr std::size_t tokens_a_clock = 8;
// Each new name is compared with many of those that are known.
constexpr std::size_t most_names = 5'000;
// A name that is not known makes an entry and up to two places in a tree.
constexpr std::size_t bytes_a_tag = 256;

std::size_t bytes_of(const mcobject_async_t& objects) {
  const std::size_t full = objects.chunks_pos_length == 0 ? 0 : objects.chunks_pos_length - 1;
  return (full * objects.chunks_size + objects.chunks_length) * objects.origin_size *
         objects.struct_size_sn;
}

bool has_too_many_attributes(const myhtml_token_node_t* token) {
  std::size_t count = 0;
  for (const auto* at = token == nullptr ? nullptr : token->attr_first; at != nullptr;
       at = at->next)
    if (++count > most_attributes) return true;
  return false;
}

constexpr std::string_view nul("\0", 1);

// Without NUL, which browsers ignore in text, and with the two references that are shorter than
// what they mean written out. Empty if there is none.
std::string without_growing(std::string_view utf8) {
  std::size_t at = std::min({utf8.find(nul), utf8.find("&nGt;"), utf8.find("&nLt;")});
  if (at == std::string_view::npos) return {};
  std::string out(utf8.substr(0, at));
  out.reserve(utf8.size() / 5 * 6 + 5);
  for (; at < utf8.size(); ++at) {
    const std::string_view name = utf8.substr(at, 5);
    if (name == "&nGt;" || name == "&nLt;") {
      out += name[2] == 'G' ? "\u226b\u20d2" : "\u226a\u20d2";
      at += 4;
    } else if (utf8[at] != '\0') {
      out += utf8[at];
    }
  }
  return out;
}

bool is_in_tag(myhtml_tokenizer_state state) {
  switch (state) {
    case MyHTML_TOKENIZER_STATE_TAG_NAME:
    case MyHTML_TOKENIZER_STATE_BEFORE_ATTRIBUTE_NAME:
    case MyHTML_TOKENIZER_STATE_ATTRIBUTE_NAME:
    case MyHTML_TOKENIZER_STATE_AFTER_ATTRIBUTE_NAME:
    case MyHTML_TOKENIZER_STATE_BEFORE_ATTRIBUTE_VALUE:
    case MyHTML_TOKENIZER_STATE_ATTRIBUTE_VALUE_DOUBLE_QUOTED:
    case MyHTML_TOKENIZER_STATE_ATTRIBUTE_VALUE_SINGLE_QUOTED:
    case MyHTML_TOKENIZER_STATE_ATTRIBUTE_VALUE_UNQUOTED:
    case MyHTML_TOKENIZER_STATE_CHARACTER_REFERENCE_IN_ATTRIBUTE_VALUE:
    case MyHTML_TOKENIZER_STATE_AFTER_ATTRIBUTE_VALUE_QUOTED:
    case MyHTML_TOKENIZER_STATE_SELF_CLOSING_START_TAG:
      return true;
    default:
      return false;
  }
}

// MyHTML reads a piece as it comes, and is at its best where one ends before a tag or a space: no
// reference, end of a comment or name is cut in two.
std::size_t next_piece(std::string_view rest) {
  if (rest.size() <= piece_size) return rest.size();
  for (const char before : {'<', ' '}) {
    const std::size_t at = rest.rfind(before, piece_size);
    if (at != std::string_view::npos && at > piece_size / 2) return at;
  }
  std::size_t at = piece_size;
  while (at > piece_size - 4 && (static_cast<unsigned char>(rest[at]) & 0xc0U) == 0x80U) --at;
  return at;
}

}  // namespace

HtmlParser::HtmlParser(const Limits& limits) : limits_(limits), myhtml_(myhtml_create()) {
  if (myhtml_ == nullptr || myhtml_init(myhtml_, MyHTML_OPTIONS_PARSE_MODE_SINGLE, 1, 0) != 0)
    throw std::bad_alloc();
  tree_ = myhtml_tree_create();
  if (tree_ == nullptr || myhtml_tree_init(tree_, myhtml_) != 0) throw std::bad_alloc();
  tree_->encoding_usereq = tree_->encoding = MyENCODING_UTF_8;
  tree_->callback_before_token = before_token;
  tree_->callback_tree_node_insert = inserted;
  tree_->callback_tree_node_remove = removed;
  tree_->callback_before_token_ctx = tree_->callback_tree_node_insert_ctx =
      tree_->callback_tree_node_remove_ctx = this;
}

HtmlParser::~HtmlParser() {
  myhtml_tree_destroy(tree_);
  myhtml_destroy(myhtml_);
}

std::optional<TooComplex> HtmlParser::parse(std::string_view utf8) {
  if (utf8.starts_with("\xef\xbb\xbf")) utf8.remove_prefix(3);
  without_growing_ = without_growing(utf8);
  if (!without_growing_.empty()) utf8 = without_growing_;
  if (utf8.empty()) utf8 = "\n";  // MyHTML needs a piece to begin with, and ignores this one
  while (!utf8.empty() && !given_up_) {
    const std::size_t size = next_piece(utf8);
    if (myhtml_parse_chunk_single(tree_, utf8.data(), size) != 0) give_up("could not be parsed");
    utf8.remove_prefix(size);
    // Where to look for a token's text: in the pieces around the last one, not from the first on.
    tree_->incoming_buf_first = tree_->incoming_buf;
    check_bounds();
    check_clock();
  }
  // MyHTML would take the text before a last "<" for the name of a tag.
  if (!given_up_ && (tree_->state == MyHTML_TOKENIZER_STATE_TAG_OPEN ||
                     tree_->state == MyHTML_TOKENIZER_STATE_END_TAG_OPEN))
    (void)myhtml_parse_chunk_single(tree_, " ", 1);
  in_unfinished_tag_ = is_in_tag(tree_->state);
  if (!given_up_ && myhtml_parse_chunk_end(tree_) != 0) give_up("could not be parsed");
  if (!given_up_) check_bounds();
  return given_up_;
}

void* HtmlParser::before_token(myhtml_tree_t* tree, myhtml_token_node_t* token, void* parser) {
  static_cast<HtmlParser*>(parser)->look_at(*token);
  // MyHTML waits for its threads until this is the last token; there are none, and where no nodes
  // are made nobody else sets it.
  if (static_cast<HtmlParser*>(parser)->given_up_) tree->token_last_done = token;
  return parser;
}

void HtmlParser::inserted(myhtml_tree_t* /*tree*/, myhtml_tree_node_t* /*node*/, void* parser) {
  ++static_cast<HtmlParser*>(parser)->nodes_;
}

void HtmlParser::removed(myhtml_tree_t* /*tree*/, myhtml_tree_node_t* /*node*/, void* parser) {
  --static_cast<HtmlParser*>(parser)->nodes_;
}

// Before each token: what one token adds is bounded by the depth and the number of attributes.
void HtmlParser::look_at(myhtml_token_node_t& token) {
  if (given_up_) return;
  // Browsers drop a tag that the end of the document cuts short; comments are not copied.
  if (in_unfinished_tag_ && token.tag_id != MyHTML_TAG__END_OF_FILE) {
    token.tag_id = MyHTML_TAG__COMMENT;
    token.type = MyHTML_TOKEN_TYPE_COMMENT;
    in_unfinished_tag_ = false;
  }
  find_quirks();
  check_bounds();
  if (has_too_many_attributes(&token)) give_up("more than 1 000 attributes on an element");
  if (token.tag_id == MyHTML_TAG_HTML || token.tag_id == MyHTML_TAG_BODY) {
    for (const myhtml_tree_node_t* merged : {tree_->node_html, tree_->node_body})
      if (merged != nullptr && has_too_many_attributes(merged->token))
        give_up("more than 1 000 attributes on an element");
  }
  if (++tokens_ % tokens_a_clock == 0) check_clock();
}

// MyHTML sees quirks in a missing doctype, not in an old one; they decide where a table may stand.
void HtmlParser::find_quirks() {
  if (quirks_known_ || tree_->insert_mode == MyHTML_INSERTION_MODE_INITIAL) return;
  quirks_known_ = true;
  const auto text = [](const char* field) {
    return std::string_view(field == nullptr ? "" : field);
  };
  const myhtml_tree_doctype_t& doctype = tree_->doctype;
  if (is_quirky(text(doctype.attr_name), text(doctype.attr_public), text(doctype.attr_system)))
    tree_->compat_mode = MyHTML_TREE_COMPAT_MODE_QUIRKS;
}

void HtmlParser::check_bounds() {
  if (nodes_ > limits_.max_nodes) give_up("more than " + grouped(limits_.max_nodes) + " nodes");
  if (tree_->open_elements->length > limits_.max_depth)
    give_up("deeper than " + grouped(limits_.max_depth) + " elements");
  if (tree_->tags->tags_count > most_names) give_up("more than 5 000 names of elements");
  if (bytes() > most_tree_bytes) give_up("needs more than 64 MiB to be parsed");
}

void HtmlParser::check_clock() {
  if (std::chrono::steady_clock::now() >= limits_.deadline) give_up("took too long");
}

// The rest of the piece is still read, but no longer made into nodes.
void HtmlParser::give_up(std::string reason) {
  if (given_up_) return;
  given_up_ = TooComplex{std::move(reason)};
  tree_->parse_flags = MyHTML_TREE_PARSE_FLAGS_WITHOUT_PROCESS_TOKEN;
}

std::size_t HtmlParser::bytes() {
  const mchar_async_t& texts = *tree_->mchar;
  const std::size_t chunks =
      (texts.chunks_pos_length - 1) * texts.chunks_size + texts.chunks_length;
  for (; text_chunks_ < chunks; ++text_chunks_)
    text_bytes_ +=
        texts.chunks[text_chunks_ / texts.chunks_size][text_chunks_ % texts.chunks_size].size;
  return text_bytes_ + bytes_of(*tree_->tree_obj) + bytes_of(*tree_->token->nodes_obj) +
         bytes_of(*tree_->token->attr_obj) + tree_->tags->tags_count * bytes_a_tag;
}

}  // namespace pollux::extract
