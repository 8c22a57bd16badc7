namespace pollux::fetch {}
