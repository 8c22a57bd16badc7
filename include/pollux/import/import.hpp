// Lists that people bring along from other programs → pages of ours, and a report that says what
// was taken, what was changed and what could not be. Bytes in, values out: no file is opened here
// and nothing is fetched. What comes out loads: URLs are checked, rules compiled, names cut to
// size.
//
// Whatever the bytes are, it ends in bounded time and memory; one bad entry never costs the others.
// Pure, but that jq is asked whether it understands a filter. Threading: any, one at a time.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"
#include "pollux/extract/rules.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::import {

enum class Format { automatic, text, csv, sitemap, opml, urlwatch, changedetection, bookmarks };
std::string_view name_of(Format format);  // as users write it: auto, text, …
std::optional<Format> format_of(std::string_view name);

// A file, as messages call it and as it is. gzip is undone here.
struct File {
  std::string name;
  std::string bytes;
};

struct Header {
  std::string name, value;
  bool secret = false;  // belongs into a file that only its owner can read
};

// What is absent comes from the defaults.
struct Page {
  std::string url;   // normalised, without credentials
  std::string host;  // host:port
  std::string name;
  std::vector<std::string> tags;
  std::optional<double> importance;
  std::optional<Duration> min_interval, max_interval, timeout;
  std::string user_agent;
  std::vector<Header> headers;
  std::string login;  // user:password
  extract::Rules content;
  bool is_plain() const;  // nothing but a URL
};

// A line of the report.
struct Note {
  std::string file;
  std::uint32_t line = 0;  // of the file; 0: it has none
  std::string url;         // of the page, printable; empty: of no single one
  std::string what;        // "css: …": printable, without secrets
};
struct Notes {
  std::vector<Note> kept;  // the first thousand
  std::size_t count = 0;
};

// Where messages went to. The URLs hold tokens.
struct Notification {
  std::string url;
  std::string service;    // what stands before "://"
  std::size_t pages = 0;  // that name it; 0: all
};

struct Imported {
  Format format = Format::automatic;
  std::vector<Page> pages;  // no URL twice
  Notes changed, left_out;
  std::vector<Notification> notifications;
  // Sitemaps that an index names and that are not among the files, by their URLs.
  std::vector<std::string> further;
};

// Several files: those of one changedetection.io folder, or a sitemap index and its sitemaps. The
// first decides the format. bad_data when it cannot be read as that; a list without a single page
// is no error.
Result<Imported> import_files(std::span<const File> files, Format format);

// The pages as YAML for `pages_file:`. `secret_files` are the paths to write for what
// `secrets_of()` returned, in its order; with none, secrets are left out.
struct Secret {
  std::string name;  // a part of a file name: "example.org-login"
  std::string value;
  bool operator==(const Secret&) const = default;
};
std::vector<Secret> secrets_of(const Imported& imported);  // equal ones once
std::string pages_yaml(const Imported& imported, std::span<const std::string> secret_files,
                       std::string_view heading);

}  // namespace pollux::import
