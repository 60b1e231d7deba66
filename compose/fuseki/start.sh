#!/bin/sh
# Starts Fuseki with its admin UI for one user; everybody else gets the ping of the health check and nothing more.
set -eu
umask 077
mkdir -p "$FUSEKI_BASE" "$FUSEKI_DATABASE"
cat > "$FUSEKI_BASE/shiro.ini" <<INI
[main]
ssl.enabled = false
plain = org.apache.shiro.authc.credential.SimpleCredentialsMatcher
iniRealm.credentialsMatcher = \$plain
[users]
$FUSEKI_USER = $FUSEKI_PASSWORD, admin
[urls]
/\$/ping = anon
/** = noSessionCreation, authcBasic, roles[admin]
INI
unset FUSEKI_PASSWORD
# Half of the memory is heap; the database is mapped into the rest.
exec java -XX:MaxRAMPercentage=50 -jar "$FUSEKI_JAR" --port "${FUSEKI_LISTEN:-3030}" \
  --tdb2 --loc "$FUSEKI_DATABASE" --update --timeout 60000 --ping --compact /ds
