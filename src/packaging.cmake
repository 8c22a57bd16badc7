# What is installed where, and the Debian package made of it: ./dev package
include(GNUInstallDirs)

# One annotated configuration for all; a service keeps its database in the state directory instead
# of beside the file.
set(service_database /var/lib/pollux/pollux.db)
set(service_config ${CMAKE_BINARY_DIR}/service/pollux.yaml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/config/pollux.yaml)
file(READ ${CMAKE_SOURCE_DIR}/config/pollux.yaml config_text)
string(REGEX REPLACE "(^|\n)database: *[^ #\n]+" "\\1database: ${service_database}" config_text "${config_text}")
if(NOT config_text MATCHES "\ndatabase: ${service_database}")
  message(FATAL_ERROR "config/pollux.yaml has no line 'database: FILE' to adapt for the service")
endif()
file(WRITE ${service_config} "${config_text}")
configure_file(config/urls.example.yaml ${CMAKE_BINARY_DIR}/service/urls.example.yaml COPYONLY)

install(TARGETS pollux RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${service_config} ${CMAKE_BINARY_DIR}/service/urls.example.yaml config/agent.yaml DESTINATION /etc/pollux)
# Debian 12 wants units in /lib; with its merged /usr that is /usr/lib.
# An agent's unit and configuration come along and are for whoever enables them.
install(FILES systemd/pollux.service systemd/pollux-agent.service DESTINATION /lib/systemd/system)
install(FILES systemd/pollux.sysusers.conf DESTINATION lib/sysusers.d RENAME pollux.conf)
install(FILES README.md CHANGELOG.md config/notification.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/pollux)
install(FILES ${CMAKE_BINARY_DIR}/docs/pollux.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME pollux)
install(FILES ${CMAKE_BINARY_DIR}/docs/_pollux DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${CMAKE_BINARY_DIR}/docs/pollux.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${CMAKE_BINARY_DIR}/docs/pollux.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_BINARY_DIR}/docs/pollux.yaml.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES config/grafana-dashboard.json config/pollux.rules.yaml systemd/render.conf DESTINATION ${CMAKE_INSTALL_DATADIR}/pollux)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/pollux RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Pollux authors")
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Certificates for https, sysusers for the user pollux, kill for `systemctl reload`.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "ca-certificates, init-system-helpers, procps, systemd | systemd-standalone-sysusers")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "sqlite3, jq")
# For pages with content.render, which most lists do not have: it brings 300 MB with it.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "chromium-headless-shell")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Pollux polls a list of pages without ever exceeding a budget of polls per
second, spends the polls where changes are likely, records every change it
finds, and keeps all it knows in a SQLite database.")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/systemd/deb/postinst ${CMAKE_SOURCE_DIR}/systemd/deb/prerm
    ${CMAKE_SOURCE_DIR}/systemd/deb/postrm ${CMAKE_BINARY_DIR}/service/conffiles)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
file(WRITE ${CMAKE_BINARY_DIR}/service/conffiles "/etc/pollux/pollux.yaml\n/etc/pollux/urls.example.yaml\n/etc/pollux/agent.yaml\n")
include(CPack)
