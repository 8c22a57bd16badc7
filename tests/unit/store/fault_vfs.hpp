// A disk that fails on command: while one of these lives, every database is opened through it, and
// once told to, writes (or reads) fail as a full or broken disk makes them fail.
#pragma once

#include <atomic>
#include <cstring>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace pollux::store {

class FaultVfs {
 public:
  FaultVfs() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
    self_ = this;
    vfs_.zName = "faulty";
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.xOpen = &FaultVfs::open;
    EXPECT_EQ(sqlite3_vfs_register(&vfs_, 1), SQLITE_OK);
  }
  ~FaultVfs() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_, 1);
    self_ = nullptr;
  }
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  void fail_writes(int code) { write_code_ = code; }  // SQLITE_FULL, SQLITE_IOERR_WRITE …
  void fail_syncs(int code) { sync_code_ = code; }
  void fail_reads(int code) { read_code_ = code; }
  void recover() { write_code_ = sync_code_ = read_code_ = SQLITE_OK; }
  int refused() const { return refused_; }

 private:
  struct File {
    sqlite3_file base;
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };
  static sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real(); }
  static int refuse(int code) {
    ++self_->refused_;
    return code;
  }

  static int open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
    auto* wrapped = reinterpret_cast<File*>(file);
    wrapped->base.pMethods = nullptr;
    const int code = self_->real_->xOpen(self_->real_, name, wrapped->real(), flags, out);
    if (wrapped->real()->pMethods == nullptr) return code;
    static const sqlite3_io_methods methods = make_methods();
    wrapped->base.pMethods = &methods;
    return code;
  }
  static sqlite3_io_methods make_methods() {
    sqlite3_io_methods m{};
    m.iVersion = 3;
    m.xClose = [](sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); };
    m.xRead = [](sqlite3_file* f, void* data, int size, sqlite3_int64 at) {
      if (const int code = self_->read_code_) return refuse(code);
      return real(f)->pMethods->xRead(real(f), data, size, at);
    };
    m.xWrite = [](sqlite3_file* f, const void* data, int size, sqlite3_int64 at) {
      if (const int code = self_->write_code_) return refuse(code);
      return real(f)->pMethods->xWrite(real(f), data, size, at);
    };
    m.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
      if (const int code = self_->write_code_) return refuse(code);
      return real(f)->pMethods->xTruncate(real(f), size);
    };
    m.xSync = [](sqlite3_file* f, int flags) {
      if (const int code = self_->sync_code_) return refuse(code);
      return real(f)->pMethods->xSync(real(f), flags);
    };
    m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
      return real(f)->pMethods->xFileSize(real(f), size);
    };
    m.xLock = [](sqlite3_file* f, int lock) { return real(f)->pMethods->xLock(real(f), lock); };
    m.xUnlock = [](sqlite3_file* f, int lock) { return real(f)->pMethods->xUnlock(real(f), lock); };
    m.xCheckReservedLock = [](sqlite3_file* f, int* out) {
      return real(f)->pMethods->xCheckReservedLock(real(f), out);
    };
    m.xFileControl = [](sqlite3_file* f, int op, void* argument) {
      return real(f)->pMethods->xFileControl(real(f), op, argument);
    };
    m.xSectorSize = [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); };
    m.xDeviceCharacteristics = [](sqlite3_file* f) {
      return real(f)->pMethods->xDeviceCharacteristics(real(f));
    };
    m.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
      return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
    };
    m.xShmLock = [](sqlite3_file* f, int offset, int count, int flags) {
      return real(f)->pMethods->xShmLock(real(f), offset, count, flags);
    };
    m.xShmBarrier = [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); };
    m.xShmUnmap = [](sqlite3_file* f, int remove) {
      return real(f)->pMethods->xShmUnmap(real(f), remove);
    };
    m.xFetch = [](sqlite3_file* f, sqlite3_int64 at, int size, void** out) {
      return real(f)->pMethods->xFetch(real(f), at, size, out);
    };
    m.xUnfetch = [](sqlite3_file* f, sqlite3_int64 at, void* data) {
      return real(f)->pMethods->xUnfetch(real(f), at, data);
    };
    return m;
  }

  static inline FaultVfs* self_ = nullptr;
  sqlite3_vfs* real_;
  sqlite3_vfs vfs_;
  std::atomic<int> write_code_{0}, sync_code_{0}, read_code_{0};
  std::atomic<int> refused_{0};
};

}  // namespace pollux::store
