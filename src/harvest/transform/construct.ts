/** `transforming-sparql`: queries make every record anew, or change it. */

import { createHash } from 'node:crypto'
import type { Term } from '@rdfjs/types'
import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { ConfigProblem, SegmentKind, SegmentPlace } from '../../pipe/segment.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import { sparqlText, sparqlTokens, type Token } from '../../store/queries.ts'
import { isNode, parseSparql, placed } from '../../store/sparql-syntax.ts'
import type { ConstructCalls, ConstructSettings } from './construct-worker.ts'
import { NoSuchFile, textBeside } from './pipe-files.ts'
import { nowhere } from './record-quads.ts'
import { type TransformDeps, transformer, transformWorker, type Work } from './transformer.ts'
import { configProblems, configSchema } from '../segment-config.ts'

/** Memory of the engine for one record; loading takes 320 MB of addresses, and little of them in truth. */
const engineBytes = 1024 * 2 ** 20

/** CONSTRUCT gives the record, an update changes it; `$identifier`, `$catalogue` and `$address` are known to both. */
export const constructTransformer = (deps: Pick<TransformDeps, 'limits'>): SegmentKind => ({
  names: ['transforming-sparql', 'transforming-construct'],
  job: 'transform',
  schema: () => configSchema(constructConfig),
  open: (given, place) => {
    const read = constructConfig.safeParse(given)
    if (!read.success) return { ok: false, problems: configProblems(read.error) }
    const { query, queries = [], keep } = read.data
    const told = [
      ...(query === undefined ? [] : [{ key: 'query', query }]),
      ...queries.map((query, index) => ({ key: `queries.${index}`, query })),
    ]
    if (told.length === 0) {
      return { ok: false, problems: [{ key: 'query', detail: 'must be a query or its file' }] }
    }
    const asked = told.map(({ key, query }) => askedBy(key, query, place, deps))
    const problems = asked.filter((one) => 'detail' in one)
    if (problems.length > 0) return { ok: false, problems }
    const usable = asked.filter((one) => 'textFor' in one)
    const { catalogue } = place
    return {
      ok: true,
      run: transformer(async () => {
        // Only now: the engine's code stays for the life of the process, although only workers run it.
        const { boundedEngine } = await import('../../store/embedded/engine.ts')
        const settings: ConstructSettings = { engine: boundedEngine(engineBytes) }
        return open({ asked: usable, keep, catalogue }, settings, deps)
      }),
      shape: createHash('sha256')
        .update(JSON.stringify([1, keep, usable.map(({ text }) => text)]))
        .digest('hex'),
    }
  },
})

function askedBy(
  key: string,
  query: QueryConfig,
  { directory }: SegmentPlace,
  { limits: { sourceBytes: most } }: Pick<TransformDeps, 'limits'>,
): RecordQuery | ConfigProblem {
  try {
    const text =
      typeof query === 'string'
        ? query
        : textBeside({ directory, folder: 'sparql', name: query.file, most })
    if (Buffer.byteLength(text) > most) return { key, detail: `has more than ${most} bytes` }
    return recordQuery(text)
  } catch (error) {
    if (error instanceof BadQuery || error instanceof NoSuchFile) {
      return { key, detail: error.message }
    }
    throw error
  }
}

type Queries = {
  readonly asked: readonly RecordQuery[]
  readonly keep: boolean
  readonly catalogue: string | undefined
}

function open(
  { asked, keep, catalogue }: Queries,
  settings: ConstructSettings,
  { limits }: Pick<TransformDeps, 'limits'>,
): Work {
  const worker = transformWorker<ConstructCalls>({
    entry: new URL('./construct-worker.ts', import.meta.url),
    data: settings,
    // The engine cannot be interrupted: its time is that of the worker.
    callMs: limits.scriptMs,
  })
  return {
    transform: async ({ sourceId, originalId, sourceUrl, mediaType, text }, signal) => {
      const known = { identifier: originalId ?? sourceId, catalogue, address: sourceUrl }
      const queries = asked.map(({ kind, textFor }) => ({ kind, text: boundBy(textFor, known) }))
      const baseIri = sourceUrl ?? nowhere
      const job = { mediaType, text, baseIri, queries, keep, most: limits.triples }
      return worker.call('transform', job, signal)
    },
    close: () => worker.close(),
  }
}

/** Ids that no query can hold, such as half a character, are the record's own fault. */
function boundBy(textFor: RecordQuery['textFor'], known: Parameters<RecordQuery['textFor']>[0]) {
  try {
    return textFor(known)
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('transform-failed', 'an id of the record cannot stand in a query', { cause })
  }
}

// What the config of a SPARQL transformer may say.

const query = z.union([z.string(), z.object({ file: z.string() })])
type QueryConfig = z.infer<typeof query>

/** Unknown keys are kept: foreign pipes are full of them. */
const constructConfig = z.looseObject({
  /** Text, or a file below `sparql/` of the pipe's source. */
  query: query.optional(),
  /** Several, in order, each on the result of the one before. */
  queries: z.array(query).max(32).optional(),
  /** The result is added to the record instead of replacing it. */
  keep: z.boolean().default(false),
  outputFormat: z.string().optional(),
})

// A query of a pipe: read when the pipe is, and filled with what is known of each record.

/** What is known of a record. `address`: where it was found. */
type Known = {
  readonly identifier: string
  readonly catalogue?: string | undefined
  readonly address?: string | undefined
}

type RecordQuery = {
  readonly kind: 'construct' | 'update'
  /** As it was written. */
  readonly text: string
  /** The query with its values in place. Throws `Failure` transform-failed when one is not known of this record. */
  readonly textFor: (known: Known) => string
}

/** Says what is wrong with a query, in words for whoever wrote it. */
class BadQuery extends Error {}

/** The variables that are filled; others are the query's own. */
const names: ReadonlySet<string> = new Set(['$identifier', '$catalogue', '$address'])

/** Brackets, operators and patterns inside one another, as levels of the syntax tree. */
const deepest = 400

/** Throws `BadQuery` for anything but CONSTRUCT and updates, and for what would leave the house. */
export function recordQuery(text: string): RecordQuery {
  const kind = kindOf(text)
  const parts = sparqlTokens(text)
  const textFor = (known: Known) => filled(parts, known)
  try {
    // A value cannot stand everywhere where a variable can.
    parseSparql(textFor({ identifier: 'id', catalogue: 'id', address: 'https://record.invalid/' }))
  } catch (cause) {
    const detail = 'has $identifier, $catalogue or $address where only a variable may stand'
    throw new BadQuery(detail, { cause })
  }
  return { kind, text, textFor }
}

function kindOf(text: string): RecordQuery['kind'] {
  const tree = parsed(text)
  for (const [node, depth] of placed(tree)) {
    if (node['type'] === 'service') throw new BadQuery('must not ask others: SERVICE is refused')
    if (node['type'] === 'load') throw new BadQuery('must not fetch anything: LOAD is refused')
    if (depth > deepest) throw new BadQuery('has too many brackets inside one another')
  }
  if (tree.type === 'update') return 'update'
  if (tree.queryType === 'CONSTRUCT') {
    if (isNode(tree.from)) throw new BadQuery('must not name graphs: FROM is refused')
    return 'construct'
  }
  throw new BadQuery('must be a CONSTRUCT query or an update')
}

function parsed(text: string) {
  try {
    return parseSparql(text)
  } catch (cause) {
    throw new BadQuery(cause instanceof Failure ? cause.detail : 'is no SPARQL', { cause })
  }
}

function filled(parts: readonly Token[], known: Known): string {
  const texts = parts.map(({ kind, text }) =>
    kind === 'parameter' && names.has(text)
      ? ` ${sparqlText(termOf(text.slice(1), known))} `
      : text,
  )
  return texts.join('')
}

function termOf(name: string, known: Known): Term {
  const values: Readonly<Record<string, string | undefined>> = known
  const value = values[name]
  if (value === undefined || (name === 'address' && !URL.canParse(value))) {
    throw new Failure('transform-failed', `the query asks for $${name}, which the record has not`)
  }
  return name === 'address' ? namedNode(new URL(value).href) : literal(value)
}
