/** The files of a data directory under another base of IRIs, one function for each. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { StartRefused } from '../errors.ts'
import { ledgerFormat, ledgerSchema } from '../harvest/ledger/ledger-schema.ts'
import { jobsFormat } from '../jobs/job-table.ts'
import { figuresFormat, figuresSchema } from '../metrics/figures/figures-file.ts'
import { fromLines, joinLines, sortedLines } from '../rdf/lines.ts'
import type { Names } from '../rdf/names.ts'
import { ctl, systemGraph } from '../rdf/namespaces.ts'
import type { Rebase } from '../rdf/rebase.ts'
import { rebaseContent, type RebasedContent } from '../repository/content/rebased-content.ts'
import { tombstonesFormat } from '../repository/deleting/tombstones.ts'
import { draftTables, typedInput } from '../repository/drafts/draft-file.ts'
import { storedRuleSchema } from '../repository/drafts/catalogue-rules.ts'
import { openRecords } from '../repository/records-file.ts'
import { versionSchema } from '../repository/versions/version-file.ts'
import { graphsWithVersions, rebaseVersions } from '../repository/versions/version-rebase.ts'
import { triggersFormat } from '../scheduler/trigger-file.ts'
import { openSqlite, type Row, type Sqlite } from '../sqlite.ts'
import { factLine } from '../store/marks.ts'
import { GraphFile } from '../store/embedded/graph-file.ts'
import type { Json } from '../text/json.ts'
import { packText, unpackText } from '../text/packed.ts'

/** Copy of a data directory whose files are changed, and the change. */
export type Rebasing = {
  readonly directory: string
  readonly change: Rebase
  readonly names: { readonly old: Names; readonly present: Names }
  /** Hashes of records before and after, by their former IRIs. */
  readonly hashes: Map<string, readonly [before: string, after: string]>
  /** Numbers of what was written anew, by name. */
  readonly counts: Map<string, number>
  readonly progress: (what: string, done: number, total: number) => void
  readonly signal: AbortSignal | undefined
}

const text = (value: unknown) => String(value)

const textOfJson = ({ change }: Rebasing, value: unknown): string =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts of JSON are JSON
  JSON.stringify(change.json(JSON.parse(text(value)) as Json))

const count = ({ counts }: Rebasing, name: string, number: number) =>
  void counts.set(name, (counts.get(name) ?? 0) + number)

/** Runs `work` with a file of the directory, if it is there. */
async function withFile(
  { directory }: Rebasing,
  { name, format, schema = '' }: { name: string; format: number; schema?: string },
  work: (file: Sqlite) => Promise<void> | void,
): Promise<void> {
  const path = join(directory, name)
  if (!existsSync(path)) return
  const file = openSqlite({ path, schema, format })
  try {
    await work(file)
  } finally {
    file.close()
  }
}

const tombstoneFile = { name: 'deleted/tombstones.db', format: tombstonesFormat }

async function withRecords(
  { directory }: Rebasing,
  work: (file: Sqlite) => Promise<void>,
): Promise<void> {
  const file = openRecords(join(directory, 'records.sqlite'), [versionSchema, draftTables])
  try {
    await work(file)
  } finally {
    file.close()
  }
}

/** Graph of a deleted resource. */
function graphOf(names: Names, { kind, id }: Row): string {
  if (kind === 'catalogue') return names.catalogue(text(id))
  if (kind === 'dataset') return names.dataset(text(id))
  const [type = '', ...rest] = text(id).split('/')
  return names.resource(type, rest.join('/'))
}

/** Changes the store, versions and what was deleted; fills `hashes`. */
async function rebaseStore(context: Rebasing): Promise<void> {
  const { directory, change, names } = context
  const store = new GraphFile(join(directory, 'store'))
  try {
    const graphs = store.names()
    for (const graph of graphs) change.knowGraph(graph)
    await withFile(context, tombstoneFile, (file) => {
      for (const row of file.each('SELECT kind, id FROM tombstone')) {
        change.knowGraph(graphOf(names.old, row))
        if (row['kind'] === 'dataset') change.knowGraph(names.old.metrics(text(row['id'])))
      }
    })
    await withRecords(context, async (file) => {
      const former = new Set(graphsWithVersions(file))
      for (const graph of former) change.knowGraph(graph)
      await rebaseGraphs(context, { store, graphs, versions: { file, former } })
    })
    await withFile(context, tombstoneFile, (file) => rebaseTombstones(context, file))
  } finally {
    store.close()
  }
}

type Stored = {
  readonly store: GraphFile
  readonly graphs: readonly string[]
  /** File with versions, and the graphs that have some and are not written anew yet. */
  readonly versions: { readonly file: Sqlite; readonly former: Set<string> }
}

async function rebaseGraphs(context: Rebasing, stored: Stored): Promise<void> {
  const { store, graphs, versions } = stored
  const facts = factsOf(store)
  const size = 200
  for (let at = 0; at < graphs.length; at += size) {
    context.signal?.throwIfAborted()
    context.progress('graphs', at, graphs.length)
    const written: WrittenGraph[] = []
    for (const graph of graphs.slice(at, at + size))
      if (graph !== systemGraph) written.push(await rebasedGraph(context, store, graph, facts))
    const write = () => written.forEach((one) => writeGraph(context, stored, one))
    versions.file.transaction(() => store.transaction(write))
  }
  const deleted = [...versions.former]
  versions.file.transaction(() => {
    for (const graph of deleted) renameVersions(context, stored, { graph, lines: '' })
  })
  store.transaction(() => rebaseFacts(context, store))
  count(context, 'graphs', graphs.length)
}

/** Hashes of resources, and handles of vocabularies by their graphs, as the system graph says them. */
function factsOf(store: GraphFile) {
  const [hashes, handles] = [new Map<string, string>(), new Map<string, string>()]
  const [hash, scheme] = [ctl('hash').value, ctl('scheme').value]
  const lines = systemLines(store).filter((line) => line.includes(`> <${ctl('').value}`))
  for (const { subject, predicate, object } of fromLines(joinLines(lines))) {
    if (predicate.value === hash) hashes.set(subject.value, object.value)
    if (predicate.value === scheme) handles.set(object.value, subject.value)
  }
  return { hashes, handles }
}

const systemLines = (store: GraphFile): readonly string[] => [
  ...(store.content(systemGraph) ?? '').split('\n').filter(Boolean),
  ...store.links(systemGraph),
]

type WrittenGraph = {
  readonly graph: string
  readonly before: string
  readonly after: RebasedContent
  readonly links: readonly string[]
}

async function rebasedGraph(
  { change, names, hashes }: Rebasing,
  store: GraphFile,
  graph: string,
  facts: ReturnType<typeof factsOf>,
): Promise<WrittenGraph> {
  const before = store.content(graph) ?? ''
  const owner = facts.handles.get(graph) ?? graph
  const given = { graph, content: before, hash: facts.hashes.get(owner) }
  const after = await rebaseContent(change, names, given)
  if (after.hashes) hashes.set(owner, after.hashes)
  return { graph, before, after, links: store.links(graph) }
}

function writeGraph(context: Rebasing, stored: Stored, written: WrittenGraph): void {
  const { change } = context
  const { store } = stored
  const { graph, before, after, links } = written
  const name = change.iri(graph)
  if (name !== graph && store.has(name))
    throw new StartRefused(
      `The data has the graph ${name} already, which ${graph} would become: choose another base.`,
    )
  const newLinks = links.map(change.terms)
  if (name !== graph) store.drop(graph)
  else for (const link of links) store.removeLink(graph, link)
  if (name !== graph || after.content !== before) store.setContent(name, after.content)
  for (const link of newLinks) store.addLink(name, link)
  renameVersions(context, stored, { graph, lines: before, change: after.change })
}

function renameVersions(
  context: Rebasing,
  { versions: { file, former } }: Stored,
  given: { graph: string; lines: string; change?: (lines: string) => string },
): void {
  if (!former.delete(given.graph)) return
  const { iri, terms } = context.change
  const renamed = { change: terms, ...given, name: iri(given.graph) }
  count(context, 'versions', rebaseVersions(file, renamed))
}

/** Changes the system graph: its terms, the hashes of records, and literals that name IRIs. */
function rebaseFacts({ change, hashes }: Rebasing, store: GraphFile): void {
  const changed = new Map(
    [...hashes].map(([iri, [before, after]]) => [
      factLine(iri, 'hash', before),
      factLine(iri, 'hash', after),
    ]),
  )
  const lineOf = (line: string) => change.fact(changed.get(line) ?? line)
  const content = store.content(systemGraph) ?? ''
  const links = store.links(systemGraph)
  if (content !== '')
    store.setContent(
      systemGraph,
      sortedLines(joinLines(content.split('\n').filter(Boolean).map(lineOf))),
    )
  for (const link of links) store.removeLink(systemGraph, link)
  for (const link of links) store.addLink(systemGraph, lineOf(link))
}

async function rebaseTombstones(context: Rebasing, file: Sqlite): Promise<void> {
  const { change, names, signal } = context
  const serials = file.rows('SELECT serial FROM tombstone')
  const update = 'UPDATE tombstone SET content = ?, metrics = ?, hash = ? WHERE serial = ?'
  for (const [done, { serial }] of serials.entries()) {
    signal?.throwIfAborted()
    context.progress('tombstones', done, serials.length)
    const row = file.first('SELECT * FROM tombstone WHERE serial = ?', Number(serial)) ?? {}
    const hash = row['hash'] === null ? undefined : text(row['hash'])
    const content = unpackText(row['content'])
    const given = { graph: graphOf(names.old, row), content, hash }
    const after = await rebaseContent(change, names, given)
    const metrics = sortedLines(change.terms(unpackText(row['metrics'])))
    const newHash = hash === undefined ? null : (after.hashes?.[1] ?? hash)
    file.run(update, packText(after.content), packText(metrics), newHash, Number(serial))
  }
  count(context, 'tombstones', serials.length)
}

/** Changes drafts, rules of catalogues and withdrawals, after the store. */
const rebaseDrafts = (context: Rebasing): Promise<void> =>
  withRecords(context, async (file) =>
    file.transaction(() => {
      const serials = file.rows('SELECT serial FROM draft')
      for (const { serial } of serials) rebaseDraft(context, file, Number(serial))
      count(context, 'drafts', serials.length)
      rebaseRules(context, file)
    }),
  )

function rebaseDraft({ change, names, hashes }: Rebasing, file: Sqlite, serial: number): void {
  const row = file.first('SELECT * FROM draft WHERE serial = ?', serial) ?? {}
  const [type, id] = [text(row['type']), text(row['id'])]
  const kind = { datasets: 'dataset', catalogues: 'catalogue' }[type]
  const iri = graphOf(names.old, { kind: kind ?? type, id: kind ? id : `${type}/${id}` })
  const [before, after] = hashes.get(iri) ?? []
  const tag = row['base_tag'] === null ? null : text(row['base_tag'])
  const typed = z.array(typedInput).parse(JSON.parse(text(row['typed'])))
  const nodeOf = (node: string) => (node.startsWith('_:') ? change.terms(node) : change.iri(node))
  const nodes = typed.map((input) => ({ ...input, node: nodeOf(input.node) }))
  file.run(
    'UPDATE draft SET base = ?, graph = ?, base_tag = ?, typed = ? WHERE serial = ?',
    sortedLines(change.terms(text(row['base']))),
    sortedLines(change.terms(text(row['graph']))),
    tag === before ? (after ?? null) : tag,
    JSON.stringify(nodes),
    serial,
  )
}

function rebaseRules({ change }: Rebasing, file: Sqlite): void {
  for (const row of file.rows('SELECT catalogue, rules FROM rule')) {
    const rules = storedRuleSchema.parse(JSON.parse(text(row['rules'])))
    const required = rules.required.map(change.iri)
    const defaults = rules.defaults.map(({ path, value }) => ({
      path: change.iri(path),
      value: change.terms(value),
    }))
    const changed = JSON.stringify({ ...rules, required, defaults })
    file.run('UPDATE rule SET rules = ? WHERE catalogue = ?', changed, text(row['catalogue']))
  }
  for (const row of file.rows('SELECT type, id, replacement FROM withdrawal')) {
    if (row['replacement'] === null) continue
    const sql = 'UPDATE withdrawal SET replacement = ? WHERE type = ? AND id = ?'
    file.run(sql, change.iri(text(row['replacement'])), text(row['type']), text(row['id']))
  }
}

/** Changes addresses of repositories in the ledger; ids of records and of their sources stay. */
const rebaseLedger = (context: Rebasing) =>
  withFile(
    context,
    { name: 'harvest.sqlite', format: ledgerFormat, schema: ledgerSchema },
    (file) => {
      for (const row of file.rows('SELECT run, address FROM target')) {
        const address = context.change.iri(text(row['address']))
        file.run('UPDATE target SET address = ? WHERE run = ?', address, text(row['run']))
      }
    },
  )

/** Changes addresses in the requests of triggers. */
const rebaseTriggers = (context: Rebasing) =>
  withFile(context, { name: 'triggers.sqlite', format: triggersFormat }, (file) => {
    for (const row of file.rows('SELECT pipe, id, request FROM trigger')) {
      const request = textOfJson(context, row['request'])
      const sql = 'UPDATE trigger SET request = ? WHERE pipe = ? AND id = ?'
      file.run(sql, request, text(row['pipe']), text(row['id']))
    }
  })

/** Changes jobs that have not ended: what they are about. */
const rebaseJobs = (context: Rebasing) =>
  withFile(context, { name: 'jobs.sqlite', format: jobsFormat }, (file) => {
    const select = 'SELECT serial, key, payload FROM job WHERE ended IS NULL'
    for (const row of file.rows(select)) {
      const key = text(row['key']).split(' ').map(context.change.iri).join(' ')
      const sql = 'UPDATE job SET key = ?, payload = ? WHERE serial = ?'
      file.run(sql, key, textOfJson(context, row['payload']), Number(row['serial']))
    }
  })

/** Changes the keys of the history of figures; the counts of today are counted again after the start. */
const rebaseFigures = (context: Rebasing) =>
  withFile(
    context,
    { name: 'metrics.sqlite', format: figuresFormat, schema: figuresSchema },
    (file) =>
      file.transaction(() => {
        for (const { key } of file.rows('SELECT DISTINCT key FROM history')) {
          const sql = 'UPDATE history SET key = ? WHERE key = ?'
          file.run(sql, context.change.iri(text(key)), text(key))
        }
        for (const table of ['counted_catalogue', 'measurement', 'scored_dataset', 'problem'])
          file.run(`DELETE FROM ${table}`)
        file.run("DELETE FROM state WHERE name = 'counted'")
      }),
  )

/**
 * Reactions to a new base by the names of `keptFiles`, in this order. `undefined`: the file names records by their ids, has digests
 * of addresses, which are asked again, or is a record of what was.
 */
export const rebasedFiles: Readonly<
  Record<string, ((context: Rebasing) => Promise<void>) | undefined>
> = {
  'store/store.db': rebaseStore,
  'records.sqlite': rebaseDrafts,
  'deleted/tombstones.db': undefined,
  'harvest.sqlite': rebaseLedger,
  'triggers.sqlite': rebaseTriggers,
  'jobs.sqlite': rebaseJobs,
  'metrics.sqlite': rebaseFigures,
  'runs.sqlite': undefined,
  'verdicts.sqlite': undefined,
  'activity.sqlite': undefined,
  'accounts.sqlite': undefined,
}
