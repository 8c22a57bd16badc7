namespace pollux::demo {}
