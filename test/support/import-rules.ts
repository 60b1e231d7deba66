/** The rule of the house as a function: which imports, folders and sizes break it. */

/** Rung by rung; a folder imports from itself and from rungs before its own. Stations share one rung. */
const layers: readonly (readonly string[])[] = [
  ['errors', 'trace'],
  ['log'],
  ['secrets', 'workers'],
  ['sqlite', 'lease'],
  ['text'],
  ['client'],
  ['rdf'],
  ['vocabularies'],
  ['profile'],
  ['store'],
  ['search-index'],
  ['http'],
  ['config'],
  ['jobs'],
  ['backup'],
  ['pipe'],
  ['repository', 'projector', 'search', 'harvest', 'metrics', 'scheduler', 'console', 'portal'],
  ['main'],
  ['program'],
]

/** Each third-party package and the rooms that may import it. A prefix of the specifier counts. */
const packageFolders: Readonly<Record<string, readonly string[]>> = {
  n3: ['rdf'],
  jsonld: ['rdf'],
  'rdf-canonize': ['rdf'],
  'rdfxml-streaming-parser': ['rdf'],
  '@orama/stemmers': ['text'],
  oxigraph: ['store'],
  'sparql-http-client': ['store'],
  sparqljs: ['store'],
  'node:sqlite': ['sqlite', 'store/embedded', 'search-index/sqlite', 'lease', 'spool'],
  hono: [
    'http',
    'repository',
    'search',
    'scheduler',
    'metrics',
    'console',
    'pipe',
    'harvest',
    'routes',
    'app',
    'portal',
  ],
  '@hono/': [
    'http',
    'repository',
    'search',
    'scheduler',
    'metrics',
    'console',
    'pipe',
    'harvest',
    'routes',
    'app',
    'portal',
  ],
  'prom-client': ['http'],
  'swagger-ui-dist': ['http'],
  'robots-parser': ['client'],
  yaml: ['http', 'pipe', 'profile', 'portal'],
  '@nats-io/': ['pipe'],
  croner: ['scheduler'],
  entities: ['backup', 'vocabularies'],
  htmlparser2: ['vocabularies'],
  'quickjs-emscripten': ['harvest'],
  '@comunica/': ['harvest'],
  '@streamparser/json': ['harvest'],
  'rdf-validate-shacl': ['metrics'],
  'intl-messageformat': ['portal'],
  'd3-geo': ['portal'],
  'topojson-client': ['portal'],
  'world-atlas': ['portal'],
  'markdown-it': ['portal'],
  'sanitize-html': ['portal'],
  '@fontsource-variable/': ['portal'],
  'openid-client': ['http'],
  papaparse: ['portal'],
  'read-excel-file': ['portal'],
  fflate: ['portal'],
  pino: ['log'],
  commander: ['program'],
  aws4fetch: ['backup'],
  meilisearch: ['search-index/meilisearch'],
  '@opensearch-project/opensearch': ['search-index/opensearch'],
}

const folderOf = (path: string) => path.split('/')[0]?.replace(/\.ts$/, '') ?? ''
const layerOf = (room: string) => layers.findIndex((layer) => layer.includes(room))

export type SourceFile = { readonly path: string; readonly text: string }

/** Specifiers of all static and dynamic imports and re-exports, types too. */
function importsOf(text: string): string[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}

function resolve(from: string, specifier: string): string {
  const parts = from.split('/').slice(0, -1)
  for (const step of specifier.split('/')) {
    if (step === '..') parts.pop()
    else if (step !== '.') parts.push(step)
  }
  return parts.join('/')
}

function importFault(file: SourceFile, specifier: string): string | undefined {
  const room = folderOf(file.path)
  if (specifier.startsWith('.')) {
    const target = resolve(file.path, specifier)
    const other = folderOf(target)
    if (other === room) return undefined
    if (layerOf(other) < 0) return `${file.path} imports ${target}: unlisted folder`
    if (layerOf(other) > layerOf(room)) return `${file.path} imports ${target}: upwards`
    if (layerOf(other) === layerOf(room)) return `${file.path} imports ${target}: sideways`
    return undefined
  }
  const home = Object.entries(packageFolders).find(([name]) =>
    name.endsWith('/')
      ? specifier.startsWith(name)
      : specifier === name || specifier.startsWith(`${name}/`),
  )
  if (!home) return undefined
  const name = file.path.split('/').at(-1)?.replace(/\.ts$/, '') ?? ''
  const allowed = home[1].some(
    (place) => file.path.includes(`${place}/`) || place === name || place === room,
  )
  return allowed
    ? undefined
    : `${file.path} imports ${specifier}: its home is ${home[1].join(', ')}`
}

/** Every sentence of the house that a file of `src/` (path relative to it) breaks. */
export function faults(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const found: string[] = []
    if (layerOf(folderOf(file.path)) < 0) found.push(`${file.path}: unlisted folder`)
    if (/(^|\/)index\.ts$/.test(file.path)) found.push(`${file.path}: a barrel`)
    if (/(^|\n)export \* from/.test(file.text)) found.push(`${file.path}: a barrel`)
    if (/(^|\n)export default/.test(file.text)) found.push(`${file.path}: a default export`)
    if (
      folderOf(file.path) !== 'main' &&
      importsOf(file.text).some(
        (name) => /(^|\/)config\.ts$/.test(name) && folderOf(resolve(file.path, name)) === 'config',
      )
    ) {
      found.push(`${file.path}: only main imports the configuration`)
    }
    if (!file.text.startsWith('/**') && !file.text.startsWith('#!'))
      found.push(`${file.path}: does not open with what it is for`)
    return [
      ...found,
      ...importsOf(file.text).flatMap((specifier) => importFault(file, specifier) ?? []),
    ]
  })
}

/** The first circle of relative imports (types count), as a list of paths. */
export function importCycle(files: readonly SourceFile[]): string[] | undefined {
  const edges = new Map(
    files.map((file) => [
      file.path,
      importsOf(file.text)
        .filter((name) => name.startsWith('.'))
        .map((name) => resolve(file.path, name)),
    ]),
  )
  const done = new Set<string>()
  const walk = (path: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return undefined
    for (const next of edges.get(path) ?? []) {
      const found = walk(next, [...trail, path])
      if (found) return found
    }
    done.add(path)
    return undefined
  }
  for (const path of edges.keys()) {
    const found = walk(path, [])
    if (found) return found
  }
  return undefined
}

/** Every file and package that a process has in memory when it has loaded this file, before anything asks for more. */
export function modulesLoadedBy(files: readonly SourceFile[], entry: string): ReadonlySet<string> {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const pattern = /(?:^|\n)\s*(?:import|export)\s(?!type\s)(?:[^'";]*?from\s*)?['"]([^'"]+)['"]/g
  const found = new Set([entry])
  // A set is walked to its end, whatever is added on the way.
  for (const path of found) {
    for (const [, specifier = ''] of (texts.get(path) ?? '').matchAll(pattern))
      found.add(specifier.startsWith('.') ? resolve(path, specifier) : specifier)
  }
  return found
}
