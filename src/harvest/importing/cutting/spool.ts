/**
 * Temporary store of a document of the import command or an importer, or of all pages of a pass: triples by graph and subject,
 * in any order of arrival.
 */
import { DatabaseSync } from 'node:sqlite'
import { termText } from '../../../rdf/lines.ts'
import { dcat, foaf, rdf } from '../../../rdf/namespaces.ts'
import type { Statement } from '../../../rdf/lines.ts'
import {
  isAgent,
  isTopic,
  kindOf,
  listingPredicates,
  typeBits,
  type NodeKind,
} from '../../../rdf/node-kinds.ts'
import { preparedOnce } from '../../../sqlite.ts'
import { keyHash } from './key-hash.ts'

/** A described node as N-Triples, and the graph that describes it (`''` for the default graph). */
export type DescribedNode = { readonly term: string; readonly graph: string }

const typePredicate = rdf('type').value
const [accessService, primaryTopic] = [dcat('accessService').value, foaf('primaryTopic').value]
const [datasetLink, recordLink] = [dcat('dataset').value, dcat('record').value]
/** Links of a catalogue, stored in rows of their own or dropped. */
const catalogueLinks: ReadonlySet<string> = new Set([datasetLink, recordLink])
const distributionLink = dcat('distribution').value
/** IRIs of the predicates that `#recordFacts` looks at. */
const structuralPredicates: ReadonlySet<string> = new Set([
  ...listingPredicates,
  typePredicate,
  accessService,
  distributionLink,
  primaryTopic,
])
const datasetTypes = new Set([dcat('Dataset'), dcat('DatasetSeries')].map((t) => termText(t)))
const [catalogueType, serviceType] = [dcat('Catalog'), dcat('DataService')].map((t) => termText(t))

/** Number of triples in memory from which they are written to SQLite. */
const batchSize = 20_000
/** Bits that tell apart the keys of a document, a power of two; one of a million keys in eight is taken for another. */
const keyBits = 2 ** 23

// A database without name is a temporary file of SQLite: in memory as long as the cache suffices, deleted when the process
// ends. `link`: `dcat:dataset` · `listing`: subjects of `listingPredicates` · `distribution`: objects of `dcat:distribution` ·
// `topic`: records of a dataset · `served`: services that a distribution links · `claim`: ids given out.
const schema = `
  PRAGMA page_size = 8192; PRAGMA cache_size = -32768; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
  CREATE TABLE chunk (hash INTEGER, key TEXT, lines TEXT);
  CREATE TABLE dataset (term TEXT, graph TEXT, UNIQUE (term, graph));
  CREATE TABLE catalogue (term TEXT, graph TEXT, typed INTEGER, PRIMARY KEY (term, graph)) WITHOUT ROWID;
  CREATE TABLE link (dataset TEXT, catalogue TEXT);
  CREATE TABLE listing (term TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE distribution (term TEXT);
  CREATE TABLE topic (dataset TEXT, term TEXT, graph TEXT);
  CREATE TABLE service (term TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE served (term TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE claim (catalogue TEXT, id TEXT, PRIMARY KEY (catalogue, id)) WITHOUT ROWID;
  BEGIN`
const indexes = `
  CREATE INDEX chunk_hash ON chunk (hash);
  CREATE INDEX link_dataset ON link (dataset, catalogue);
  CREATE INDEX topic_dataset ON topic (dataset, term, graph);
  CREATE INDEX topic_term ON topic (term, dataset);
  CREATE INDEX distribution_term ON distribution (term);`
/** Subject in a key, for documents with named graphs. */
const subjectInKey = "substr(key, 1, instr(key || ' ', ' ') - 1)"
/** Index for datasets with parts, which most documents do not have. */
const partIndex = 'CREATE INDEX IF NOT EXISTS link_catalogue ON link (catalogue, dataset)'

// Main graph of a catalogue in several graphs: the one with its name, else the one with its type.
const cataloguesInOrder =
  'SELECT term, graph FROM catalogue ORDER BY term, term = graph DESC, typed DESC, graph'

const loneServices =
  'FROM service WHERE term NOT IN (SELECT term FROM served) AND term NOT IN (SELECT term FROM dataset)'
const namedServices = 10

const putCatalogue =
  'INSERT INTO catalogue VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET typed = max(typed, excluded.typed)'

const typePattern = ` <${typePredicate}> <`

/** Types of a node that determine its kind, from its lines; for `kindOf`. */
function typesIn(lines: string): number {
  const iris: string[] = []
  for (let position = lines.indexOf(typePattern); position >= 0;) {
    const start = position + typePattern.length
    iris.push(lines.slice(start, lines.indexOf('> .\n', start)))
    position = lines.indexOf(typePattern, start)
  }
  return typeBits(iris)
}

/** Whether the lines describe a person or an organisation. */
export const areOfAgent = (lines: string): boolean => isAgent(typesIn(lines))

const keyOf = (term: string, graph: string) => (graph === '' ? term : `${term} ${graph}`)
const text = (value: unknown) => (typeof value === 'string' ? value : '')
const nodeIn = (row: Record<string, unknown>): DescribedNode => ({
  term: text(row['term']),
  graph: text(row['graph']),
})

/** Store that `add` fills and `finish` makes ready for queries; the caller closes it. */
export class Spool {
  readonly #database = new DatabaseSync('')
  readonly #sql = preparedOnce(this.#database)
  /** N-Triples lines by key (subject and graph) that are not written to SQLite yet. */
  readonly #groups = new Map<string, string>()
  #unwritten = 0
  /** Nodes of the last inserted rows, which need not be inserted again. */
  #lastCatalogue = ''
  #lastListing = ''
  /** Datasets that link parts with `dcat:dataset`. */
  readonly #datasetsWithParts = new Set<string>()
  #hasGraphs = false
  /** A bit for each key of `chunk`: two of three nodes that a record names are described nowhere and need no query. */
  readonly #keys = new Uint8Array(keyBits / 8)

  /** Opens an empty spool. Throws SQLite's error if the temporary folder is not writable. */
  constructor() {
    this.#database.exec(schema)
  }

  /** Adds a batch of statements; queries need `finish` first. */
  add(statements: readonly Statement[]): void {
    for (const statement of statements) {
      const { subject, predicate, graph, line } = statement
      if (structuralPredicates.has(predicate)) this.#recordFacts(statement)
      if (catalogueLinks.has(predicate)) continue
      this.#hasGraphs ||= graph !== ''
      const key = keyOf(subject, graph)
      this.#groups.set(key, (this.#groups.get(key) ?? '') + line)
      this.#unwritten += 1
    }
    if (this.#unwritten >= batchSize) this.#flush()
  }

  /** Records facts about datasets, catalogues, records and services. */
  #recordFacts({ subject, predicate, object, graph }: Statement): void {
    if (listingPredicates.has(predicate) && subject !== object) {
      if (this.#lastListing !== subject) this.#put('listing', subject)
      this.#lastListing = subject
    }
    if (predicate === typePredicate) {
      if (datasetTypes.has(object)) this.#put('dataset', subject, graph)
      else if (object === serviceType) this.#put('service', subject)
      else if (object === catalogueType) this.#sql(putCatalogue).run(subject, graph, 1)
    } else if (predicate === accessService) this.#put('served', object)
    else if (predicate === distributionLink) {
      if (subject !== object) this.#put('distribution', object)
    } else if (predicate === primaryTopic) this.#put('topic', object, subject, graph)
    else if (predicate === datasetLink) {
      const key = keyOf(subject, graph)
      if (this.#lastCatalogue !== key) this.#sql(putCatalogue).run(subject, graph, 0)
      this.#lastCatalogue = key
      this.#put('link', object, subject)
    }
  }

  /** Inserts a row; returns whether it is new. */
  #put(table: string, ...values: string[]): boolean {
    const marks = values.map(() => '?').join(', ')
    const sql = `INSERT OR IGNORE INTO ${table} VALUES (${marks})`
    return this.#sql(sql).run(...values).changes === 1
  }

  #flush(): void {
    for (const [key, lines] of this.#groups) this.#insertChunk(key, lines)
    this.#groups.clear()
    this.#unwritten = 0
  }

  #insertChunk(key: string, lines: string): void {
    const hash = keyHash(key)
    this.#sql('INSERT INTO chunk VALUES (?, ?, ?)').run(hash, key, lines)
    const bit = hash % keyBits
    this.#keys[bit >> 3] = (this.#keys[bit >> 3] ?? 0) | (1 << (bit & 7))
  }

  /** Lines of a key in `chunk`; `''` if there are none. */
  #chunkLines(key: string): string {
    const hash = keyHash(key)
    const bit = hash % keyBits
    if (((this.#keys[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return ''
    return this.#texts(
      'SELECT lines AS text FROM chunk WHERE hash = ? AND key = ?',
      hash,
      key,
    ).join('')
  }

  /** Ends the adding: writes what is left, makes indexes, and decides which nodes with both types are datasets. */
  finish(): void {
    this.#flush()
    this.#database.exec(indexes)
    if (this.#hasGraphs)
      this.#database.exec(`CREATE INDEX chunk_subject ON chunk (${subjectInKey})`)
    const ambiguous =
      'SELECT DISTINCT term AS text FROM catalogue WHERE term IN (SELECT term FROM dataset)'
    for (const term of this.#texts(ambiguous)) {
      const datasetGraphs = this.#texts('SELECT graph AS text FROM dataset WHERE term = ?', term)
      const catalogueGraphs = this.#texts(
        'SELECT graph AS text FROM catalogue WHERE term = ?',
        term,
      )
      const places = [...new Set([...datasetGraphs, ...catalogueGraphs])].map((graph) => ({
        term,
        graph,
      }))
      const lines = places.map((place) => this.describe(place)).join('')
      if (this.kindOf(term, lines) === 'catalogue') continue
      this.#datasetsWithParts.add(term)
      this.#database.exec(partIndex)
    }
    for (const term of this.#datasetsWithParts)
      this.#sql('DELETE FROM catalogue WHERE term = ?').run(term)
  }

  /** Kind of a node, from its lines and from references to it. */
  kindOf(term: string, lines: string): NodeKind | undefined {
    const isIn = (rows: string) =>
      this.#number(`SELECT EXISTS (SELECT 1 FROM ${rows}) AS n`, term) > 0
    const topics = 'SELECT dataset AS text FROM topic WHERE term = ?1 AND dataset <> ?1'
    const graphs = 'SELECT graph AS text FROM dataset WHERE term = ?'
    const isDataset = (topic: string) =>
      this.#texts(graphs, topic).some((graph) =>
        isTopic(typesIn(this.describe({ term: topic, graph }))),
      )
    const described = () => this.#texts(topics, term).some(isDataset)
    return kindOf({
      types: typesIn(lines),
      get isListed() {
        return isIn('link WHERE dataset = ?1 AND catalogue <> ?1')
      },
      get lists() {
        return isIn('listing WHERE term = ?1')
      },
      get describesDataset() {
        return described()
      },
      get isDistributed() {
        return isIn('distribution WHERE term = ?1')
      },
    })
  }

  #texts(sql: string, ...values: (string | number)[]): string[] {
    return this.#sql(sql)
      .all(...values)
      .map((row) => text(row['text']))
  }

  #number(sql: string, ...values: string[]): number {
    return Number(this.#sql(sql).get(...values)?.['n'] ?? 0)
  }

  /** Lines of a node in one graph, with the links of a dataset to its parts; `''` if there are none. */
  describe({ term, graph }: DescribedNode): string {
    const chunkLines = this.#chunkLines(keyOf(term, graph))
    if (!this.#datasetsWithParts.has(term)) return chunkLines
    const parts = 'SELECT DISTINCT dataset AS text FROM link WHERE catalogue = ? ORDER BY 1'
    const lines = this.#texts(parts, term).map((part) => `${term} <${datasetLink}> ${part} .\n`)
    return chunkLines + lines.join('')
  }

  /**
   * Lines of a node in the graph of its name, else in the first graph that has any; `''` if there are none, or the document
   * has no named graphs.
   */
  describeInAny(term: string): string {
    if (!this.#hasGraphs) return ''
    const sql = `SELECT key AS text FROM chunk WHERE ${subjectInKey} = ?1 ORDER BY key = ?1 || ' ' || ?1 DESC, key LIMIT 1`
    const [key = ''] = this.#texts(sql, term)
    return key === '' ? '' : this.describe({ term, graph: key.slice(term.length + 1) })
  }

  /** Whether any graph describes a node. */
  isDescribed(node: DescribedNode): boolean {
    const places = [node, { ...node, graph: '' }]
    return places.some((node) => this.describe(node) !== '') || this.describeInAny(node.term) !== ''
  }

  /** Number of distinct datasets that are no catalogues. */
  datasetCount(): number {
    const catalogueTerms = 'SELECT term FROM catalogue'
    return this.#number(
      `SELECT count(DISTINCT term) AS n FROM dataset WHERE term NOT IN (${catalogueTerms})`,
    )
  }

  /** Words about a document without datasets: types and namespaces of its first 500 nodes. */
  contentSummary(): string {
    const lines = this.#texts('SELECT lines AS text FROM chunk LIMIT 500').join('')
    const matches = (pattern: RegExp) => {
      const distinct = new Set(Array.from(lines.matchAll(pattern), ([, iri = '']) => iri))
      return [...distinct].slice(0, 10).join(', ') + (distinct.size > 10 ? ', …' : '')
    }
    const types = matches(/#type> <([^>]*)> /g)
    const namespaces = matches(/^\S+ <([^>]*[/#])[^>]*> /gm)
    if (lines === '') return 'it holds no statement'
    return `types seen: ${types || 'none'}; namespaces seen: ${namespaces}`
  }

  /** Whether the document has a dataset, a catalogue, or a data service without a distribution. */
  isCatalogue(): boolean {
    return this.datasetCount() > 0 || this.catalogues().length > 0 || this.services().count > 0
  }

  /** Distinct nodes typed as dataset or series, in document order. */
  *datasets(): Iterable<DescribedNode> {
    const isSingle = this.#number('SELECT count(DISTINCT graph) AS n FROM dataset') < 2
    const rows = this.#sql('SELECT term, graph FROM dataset ORDER BY rowid')
    for (const row of rows.iterate())
      if (isSingle || this.#isMainGraph(nodeIn(row))) yield nodeIn(row)
  }

  /** Whether a graph is the main one of a dataset: the graph of its name, else the first. */
  #isMainGraph({ term, graph }: DescribedNode): boolean {
    const sql = 'SELECT graph AS text FROM dataset WHERE term = ? ORDER BY graph'
    const graphs = this.#texts(sql, term)
    return graph === (graphs.includes(term) ? term : graphs[0])
  }

  /** Catalogues (by type, or because they link datasets) except datasets with parts, sorted. */
  catalogues(): readonly DescribedNode[] {
    const rows = this.#sql(cataloguesInOrder).all().map(nodeIn)
    return rows.filter((row, index) => row.term !== rows[index - 1]?.term)
  }

  /** Texts of the catalogues that link a dataset, sorted. */
  cataloguesOf(dataset: string): readonly string[] {
    const sql =
      'SELECT DISTINCT catalogue AS text FROM link WHERE dataset = ? AND catalogue IN (SELECT term FROM catalogue) ORDER BY 1'
    return this.#texts(sql, dataset)
  }

  /** IRIs (N-Triples) that `dcat:dataset` links and that are not typed as dataset. */
  *listedOnly(): Iterable<string> {
    const sql = `SELECT DISTINCT dataset AS text FROM link WHERE dataset LIKE '<%' AND dataset NOT IN (SELECT term FROM dataset)`
    for (const row of this.#sql(sql).iterate()) yield text(row['text'])
  }

  /** All stored lines by key, which may occur repeatedly. */
  *chunks(): Iterable<{ readonly key: string; readonly lines: string }> {
    for (const row of this.#sql('SELECT key, lines FROM chunk ORDER BY rowid').iterate())
      yield { key: text(row['key']), lines: text(row['lines']) }
  }

  /** Adds lines of another spool, without facts about their nodes; before `finish`. */
  addChunk(key: string, lines: string): void {
    this.#hasGraphs ||= key.includes(' ')
    this.#insertChunk(key, lines)
  }

  /** Whether a catalogue links a dataset. */
  hasLinks(): boolean {
    const sql = 'SELECT 1 FROM link WHERE catalogue IN (SELECT term FROM catalogue)'
    return this.#number(`SELECT EXISTS (${sql}) AS n`) > 0
  }

  /** Number of data services without a distribution, and the first ten of them (N-Triples). */
  services(): { readonly count: number; readonly first: readonly string[] } {
    const count = this.#number(`SELECT count(*) AS n ${loneServices}`)
    const first = `SELECT term AS text ${loneServices} ORDER BY 1 LIMIT ${namedServices}`
    return { count, first: this.#texts(first) }
  }

  /** Catalogue records about a dataset. */
  recordsOf(dataset: string): readonly DescribedNode[] {
    const sql = 'SELECT DISTINCT term, graph FROM topic WHERE dataset = ?'
    return this.#sql(sql).all(dataset).map(nodeIn)
  }

  /** Claims an original id in a catalogue; `false` if it is already taken. */
  claim(catalogue: string, originalId: string): boolean {
    return this.#put('claim', catalogue, originalId)
  }

  close(): void {
    this.#database.close()
  }
}
