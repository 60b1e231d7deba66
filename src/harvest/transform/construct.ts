/** `transforming-sparql`: queries make every record anew, or change it. */

import { createHash } from 'node:crypto'
import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { ConfigProblem, SegmentKind, SegmentPlace } from '../../pipe/segment.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import { sparqlText, sparqlTokens } from '../../store/queries.ts'
import { isNode, parseSparql, placed } from '../../store/sparql-syntax.ts'
import { configProblems, configSchema } from '../segment-config.ts'
import type { ConstructCalls, ConstructSettings } from './construct-worker.ts'
import { BadConfig, orProblem, textBeside } from './pipe-files.ts'
import { placeholderIri } from './record-quads.ts'
import {
  type TransformDeps,
  transformer,
  transformWorker,
  type RunTransformer,
} from './transformer.ts'

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

/** Memory of the engine for one record; loading takes 320 MB of addresses, and little of them in truth. */
const engineBytes = 1024 * 2 ** 20

type Limits = Pick<TransformDeps, 'limits'>

/** CONSTRUCT gives the record, an update changes it; `$identifier`, `$catalogue` and `$address` are known to both. */
export const constructTransformer = ({ limits }: Limits): SegmentKind => ({
  names: ['transforming-sparql', 'transforming-construct'],
  job: 'transform',
  schema: () => configSchema(constructConfig),
  open: (given, place) => {
    const read = constructConfig.safeParse(given)
    if (!read.success) return { ok: false, problems: configProblems(read.error) }
    const { query: only, queries: several = [], keep } = read.data
    const queries: RecordQuery[] = []
    const problems: ConfigProblem[] = []
    for (const [key, one] of Object.entries({ query: only, ...keyed(several) })) {
      const compiled =
        one && orProblem(key, () => recordQuery(textOf(one, place, limits.sourceBytes)))
      if (compiled && 'detail' in compiled) problems.push(compiled)
      else if (compiled) queries.push(compiled)
    }
    if (queries.length + problems.length === 0)
      problems.push({ key: 'query', detail: 'must be a query or its file' })
    if (problems.length > 0) return { ok: false, problems }
    const texts = queries.map(({ text }) => text)
    const { catalogue } = place
    return {
      ok: true,
      run: transformer(() => open({ queries, keep, catalogue }, { limits })),
      shape: createHash('sha256')
        .update(JSON.stringify([1, keep, texts]))
        .digest('hex'),
    }
  },
})

const keyed = (queries: readonly QueryConfig[]) =>
  Object.fromEntries(queries.map((one, index) => [`queries.${index}`, one]))

/** Throws `BadConfig`. */
function textOf(given: QueryConfig, { directory }: SegmentPlace, most: number): string {
  if (typeof given !== 'string')
    return textBeside({ directory, folder: 'sparql', name: given.file, most })
  if (Buffer.byteLength(given) > most) throw new BadConfig(`has more than ${most} bytes`)
  return given
}

/** The queries of a segment, with the catalogue that its records go to. */
type Queries = {
  readonly queries: readonly RecordQuery[]
  readonly keep: boolean
  readonly catalogue: string | undefined
}

/** Starts the worker of a run, lazily: with the first record. */
async function open(
  { queries, keep, catalogue }: Queries,
  { limits }: Limits,
): Promise<RunTransformer> {
  // Only now: the engine's code stays for the life of the process, although only workers run it.
  const { boundedEngine } = await import('../../store/embedded/engine.ts')
  const settings: ConstructSettings = { engine: boundedEngine(engineBytes) }
  const worker = transformWorker<ConstructCalls>({
    entry: new URL('./construct-worker.ts', import.meta.url),
    data: settings,
    // The engine cannot be interrupted: its time is that of the worker.
    callMs: limits.scriptMs,
  })
  return {
    transform: async ({ sourceId, originalId, sourceUrl, mediaType, text }, signal) => {
      const known = { identifier: originalId ?? sourceId, catalogue, address: sourceUrl }
      const bound = queries.map(({ kind, textFor }) => ({ kind, text: textFor(known) }))
      const baseIri = sourceUrl ?? placeholderIri
      const job = { mediaType, text, baseIri, queries: bound, keep, most: limits.triples }
      return worker.call('transform', job, signal)
    },
    close: () => worker.close(),
  }
}

// A query of a pipe: read when the pipe is, and filled with what is known of each record.

/** Facts about a record; `address` is where the source has it. */
type RecordFacts = {
  readonly identifier: string
  readonly catalogue?: string
  readonly address?: string
}

/** A query that was found good when the pipe was read. */
type RecordQuery = {
  readonly kind: 'construct' | 'update'
  /** As it was written. */
  readonly text: string
  /** The query with its values in place. Throws `Failure` transform-failed when one is not known of this record. */
  readonly textFor: (facts: RecordFacts) => string
}

/** The variables that are filled; others are the query's own. */
const names: ReadonlySet<string> = new Set(['$identifier', '$catalogue', '$address'])

/** Brackets, operators and patterns inside one another, as levels of the syntax tree. */
const deepest = 400

/** Throws `BadConfig` for anything but CONSTRUCT and updates, and for what would reach out to others. */
export function recordQuery(text: string): RecordQuery {
  const kind = kindOf(text)
  const tokens = sparqlTokens(text)
  const textFor = (facts: RecordFacts) => {
    const parts = tokens.map((token) =>
      token.kind === 'parameter' && names.has(token.text)
        ? ` ${valueText(token.text.slice(1), facts)} `
        : token.text,
    )
    return parts.join('')
  }
  try {
    // A value cannot be everywhere where a variable can.
    parseSparql(textFor({ identifier: 'id', catalogue: 'id', address: 'https://record.invalid/' }))
  } catch (cause) {
    const detail = 'has $identifier, $catalogue or $address where only a variable may be'
    throw new BadConfig(detail, { cause })
  }
  return { kind, text, textFor }
}

function kindOf(text: string): RecordQuery['kind'] {
  const tree = parsed(text)
  for (const [node, depth] of placed(tree)) {
    if (node['type'] === 'service') throw new BadConfig('must not ask others: SERVICE is refused')
    if (node['type'] === 'load') throw new BadConfig('must not fetch anything: LOAD is refused')
    if (depth > deepest) throw new BadConfig('has too many brackets inside one another')
  }
  if (tree.type === 'update') return 'update'
  if (tree.queryType !== 'CONSTRUCT') throw new BadConfig('must be a CONSTRUCT query or an update')
  if (isNode(tree.from)) throw new BadConfig('must not name graphs: FROM is refused')
  return 'construct'
}

function parsed(text: string) {
  try {
    return parseSparql(text)
  } catch (cause) {
    throw new BadConfig(cause instanceof Failure ? cause.detail : 'is not SPARQL', { cause })
  }
}

/** The SPARQL text of a value; ids that no query can hold, such as half a character, are the record's own fault. */
function valueText(name: string, facts: RecordFacts): string {
  const values: Readonly<Record<string, string | undefined>> = facts
  const value = values[name]
  const url = name === 'address' ? URL.parse(value ?? '')?.href : undefined
  if (value === undefined || (name === 'address' && url === undefined))
    throw new Failure(
      'transform-failed',
      `the query uses $${name}, which this record does not have`,
    )
  try {
    return sparqlText(url === undefined ? literal(value) : namedNode(url))
  } catch (cause) {
    throw new Failure('transform-failed', 'an id of the record cannot be in a query', { cause })
  }
}
