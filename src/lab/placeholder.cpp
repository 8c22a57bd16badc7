namespace pollux::lab {}
