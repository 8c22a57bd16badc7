namespace pollux::config {}
