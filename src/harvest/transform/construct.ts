/** `transforming-sparql`: replaces or changes each record by SPARQL queries. */

import { createHash } from 'node:crypto'
import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { ConfigProblem, SegmentKind, SegmentPlace } from '../../pipe/segment.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import { sparqlText, sparqlTokens } from '../../store/queries.ts'
import { isSyntaxNode, parseSparql, nodesWithDepth } from '../../store/sparql-syntax.ts'
import { configProblems, configSchema } from '../../pipe/segment-config.ts'
import type { ConstructCalls, ConstructSettings } from './construct-worker.ts'
import { BadConfig, configProblemOf, readPipeFile } from './pipe-files.ts'
import { placeholderIri } from './record-quads.ts'
import {
  type TransformDeps,
  transformer,
  transformWorker,
  type RunTransformer,
} from './transformer.ts'

const query = z.union([z.string(), z.object({ file: z.string() })])
type QueryConfig = z.infer<typeof query>

/** Unknown keys are kept, because foreign pipes have many. */
const constructConfig = z.looseObject({
  /** Query text, or a file below `sparql/` of the pipe's directory; runs before `queries`. */
  query: query.optional(),
  /** Queries; each operates on the result of the previous one. */
  queries: z.array(query).max(32).optional(),
  /** Whether the result is added to the record instead of replacing it. */
  keep: z.boolean().default(false),
  /** Ignored; the result is always N-Triples. */
  outputFormat: z.string().optional(),
})

/** Maximum memory of the engine for one record; it reserves 320 MB of address space at the start. */
const engineBytes = 1024 * 2 ** 20

type Limits = Pick<TransformDeps, 'limits'>

/**
 * Segment that runs queries on each record: CONSTRUCT creates the record anew, an update changes it; both may use `$identifier`,
 * `$catalogue` and `$address`.
 */
export const constructTransformer = ({ limits }: Limits): SegmentKind => ({
  names: ['transforming-sparql', 'transforming-construct'],
  job: 'transform',
  schema: () => configSchema(constructConfig),
  open: (rawConfig, place) => {
    const parsed = constructConfig.safeParse(rawConfig)
    if (!parsed.success) return { ok: false, problems: configProblems(parsed.error) }
    const { query: singleQuery, queries: queryList = [], keep } = parsed.data
    const queries: RecordQuery[] = []
    const problems: ConfigProblem[] = []
    for (const [key, queryConfig] of Object.entries({
      query: singleQuery,
      ...byConfigKey(queryList),
    })) {
      const compiled =
        queryConfig &&
        configProblemOf(key, () => recordQuery(textOf(queryConfig, place, limits.sourceBytes)))
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
      outputHash: createHash('sha256')
        .update(JSON.stringify([1, keep, texts]))
        .digest('hex'),
    }
  },
})

/** Queries of a list by their config keys, such as `queries.0`. */
const byConfigKey = (queries: readonly QueryConfig[]) =>
  Object.fromEntries(queries.map((query, index) => [`queries.${index}`, query]))

/** Text of a query. Throws `BadConfig`. */
function textOf(queryConfig: QueryConfig, { directory }: SegmentPlace, maxBytes: number): string {
  if (typeof queryConfig !== 'string')
    return readPipeFile({ directory, folder: 'sparql', name: queryConfig.file, maxBytes })
  if (Buffer.byteLength(queryConfig) > maxBytes)
    throw new BadConfig(`has more than ${maxBytes} bytes`)
  return queryConfig
}

/** Queries of a segment, and the target catalogue. */
type Queries = {
  readonly queries: readonly RecordQuery[]
  readonly keep: boolean
  readonly catalogue: string | undefined
}

/** Opens the transformer of a run; its worker starts with the first record. */
async function open(
  { queries, keep, catalogue }: Queries,
  { limits }: Limits,
): Promise<RunTransformer> {
  // Loaded on demand, because the compiled engine is held until the process ends.
  const { boundedEngine } = await import('../../store/embedded/engine.ts')
  const settings: ConstructSettings = { engine: boundedEngine(engineBytes) }
  const worker = transformWorker<ConstructCalls>({
    entry: new URL('./construct-worker.ts', import.meta.url),
    data: settings,
    // The engine cannot be interrupted, so the time-out ends the worker.
    callMs: limits.scriptMs,
  })
  return {
    transform: async ({ sourceId, originalId, sourceUrl, mediaType, text }, signal) => {
      const facts = { identifier: originalId ?? sourceId, catalogue, address: sourceUrl }
      const filledQueries = queries.map(({ kind, textFor }) => ({ kind, text: textFor(facts) }))
      const baseIri = sourceUrl ?? placeholderIri
      const job = {
        mediaType,
        text,
        baseIri,
        queries: filledQueries,
        keep,
        maxTriples: limits.triples,
      }
      return worker.call('transform', job, signal)
    },
    close: () => worker.close(),
  }
}

// Queries with placeholders: parsed with the pipe, filled for each record.

/** Values for the placeholders: the original id or source id, the target catalogue, the URL at the source. */
type RecordFacts = {
  readonly identifier: string
  readonly catalogue?: string
  readonly address?: string
}

/** A validated query. */
type RecordQuery = {
  readonly kind: 'construct' | 'update'
  /** Original text. */
  readonly text: string
  /** Fills in the values. Throws transform-failed if one is unknown. */
  readonly textFor: (facts: RecordFacts) => string
}

/** Placeholders; other variables belong to the query. */
const placeholders: ReadonlySet<string> = new Set(['$identifier', '$catalogue', '$address'])

/** Maximum nesting of the syntax tree. */
const maxDepth = 400

/**
 * Parses a query. Throws `BadConfig` for anything but CONSTRUCT and updates, for references to other data (SERVICE, LOAD, FROM),
 * for deep nesting, and for a placeholder where no value may be.
 */
export function recordQuery(text: string): RecordQuery {
  const kind = kindOf(text)
  const tokens = sparqlTokens(text)
  const textFor = (facts: RecordFacts) => {
    const parts = tokens.map((token) =>
      token.kind === 'parameter' && placeholders.has(token.text)
        ? ` ${valueText(token.text.slice(1), facts)} `
        : token.text,
    )
    return parts.join('')
  }
  try {
    // A value is not permitted everywhere a variable is, so the filled query is parsed too.
    parseSparql(textFor({ identifier: 'id', catalogue: 'id', address: 'https://record.invalid/' }))
  } catch (cause) {
    const detail = 'has $identifier, $catalogue or $address where only a variable may be'
    throw new BadConfig(detail, { cause })
  }
  return { kind, text, textFor }
}

/** Kind of a query. Throws `BadConfig` if it is not permitted. */
function kindOf(text: string): RecordQuery['kind'] {
  const tree = parseOrRefuse(text)
  for (const [node, depth] of nodesWithDepth(tree)) {
    if (node['type'] === 'service') throw new BadConfig('must not ask others: SERVICE is refused')
    if (node['type'] === 'load') throw new BadConfig('must not fetch anything: LOAD is refused')
    if (depth > maxDepth) throw new BadConfig('has too many brackets inside one another')
  }
  if (tree.type === 'update') return 'update'
  if (tree.queryType !== 'CONSTRUCT') throw new BadConfig('must be a CONSTRUCT query or an update')
  if (isSyntaxNode(tree.from)) throw new BadConfig('must not name graphs: FROM is refused')
  return 'construct'
}

function parseOrRefuse(text: string) {
  try {
    return parseSparql(text)
  } catch (cause) {
    throw new BadConfig(cause instanceof Failure ? cause.detail : 'is not SPARQL', { cause })
  }
}

/** SPARQL text of a value. Throws transform-failed if the record lacks it, or no query can contain it (lone surrogates). */
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
