/** What a segment is called: every known spelling of a name means one segment. */

const prefixes = ['piveau-consus-', 'platform-consus-', 'consus-', 'piveau-', 'platform-'] as const

/** Spellings that pipes in use have, after their prefix, and the name that is meant. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['importing-dcat', 'importing-rdf'],
  ['rdf-importer', 'importing-rdf'],
  ['sparql-importer', 'importing-sparql'],
  ['importing-ckansingle', 'importing-ckan'],
  ['importing-ckanprop', 'importing-ckan'],
  ['importing-drupal', 'importing-dkan'],
  ['importing-pod', 'importing-datajson'],
  ['importing-dcatus', 'importing-datajson'],
  ['importing-dcat-us', 'importing-datajson'],
  ['importing-data-json', 'importing-datajson'],
  ['importing-ods', 'importing-opendatasoft'],
  ['importing-huwise', 'importing-opendatasoft'],
  ['importing-arcgishub', 'importing-arcgis'],
  ['importing-arcgis-hub', 'importing-arcgis'],
  ['transforming-javascript', 'transforming-js'],
  ['transforming-construct', 'transforming-sparql'],
  ['exporting-repo', 'exporting-hub'],
  ['exporting-repository', 'exporting-hub'],
  ['validating-shacl', 'metrics-validating-shacl'],
  ['annotator', 'metrics-annotator'],
  ['accessibility', 'metrics-accessibility'],
  ['score', 'metrics-score'],
])

/** Lower case, without the first prefix that fits, and the name itself in place of an alias. */
export function normalName(name: string): string {
  const lower = name.toLowerCase()
  const prefix = prefixes.find((start) => lower.startsWith(start)) ?? ''
  const bare = lower.slice(prefix.length)
  return aliases.get(bare) ?? bare
}
