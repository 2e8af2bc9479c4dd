// A lock on the file of a study, held while data is added to it: one sweep, plan or merge at a time.
#pragma once

#include <string>

namespace jostle::analyses {

class FileLock {
 public:
  // Creates the file if it does not exist. Throws input::Refused if another process holds the lock, or if the
  // file cannot be opened or is not a regular file. A file system without locks gives no protection.
  explicit FileLock(const std::string& path);
  // Removes the file and its log if it was created here and keep() was not called.
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  void keep() { created_ = false; }

 private:
  std::string path_;
  int descriptor_ = -1;
  bool created_ = false;
};

}  // namespace jostle::analyses
