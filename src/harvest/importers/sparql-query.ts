/** The query that an operator wrote: what it asks for decides how the importer goes on. */

import { z } from 'zod'
import { namedNode } from '../../rdf/terms.ts'
import { bind, type Query, queryOf } from '../../store/queries.ts'
import { NoSuchFile, textBeside } from '../transform/pipe-files.ts'
import { formatNamed } from './rdf-format.ts'

/** Bytes of a query. */
const longest = 1_048_576

/**
 * `list`: SELECT of datasets · `each`: for one dataset at a time · `graph`: everything at once, or in parts by LIMIT and
 * OFFSET.
 */
type OwnQuery =
  | { readonly kind: 'list'; readonly text: string; readonly variable: string }
  | { readonly kind: 'each'; readonly textFor: (dataset: string) => string }
  | {
      readonly kind: 'graph'
      readonly textFor: string | ((limit: number, offset: number) => string)
    }

/** Says what is wrong with a query, in words for whoever wrote it. */
export class BadQuery extends Error {}

/** Throws `BadQuery`. `directory`: of the pipe's source. */
export function ownQuery(
  query: NonNullable<SparqlConfig['query']>,
  directory: string | undefined,
): OwnQuery {
  const text = typeof query === 'string' ? query : fileText(query.file, directory)
  const parsed = queryOf(text, 'the query')
  const form = formOf(parsed)
  const parameters = new Set(
    parsed.tokens.filter(({ kind }) => kind === 'parameter').map((token) => token.text.slice(1)),
  )
  if (form === 'SELECT') return { kind: 'list', text, variable: onlyVariable(parsed) }
  if (form !== 'CONSTRUCT' && form !== 'DESCRIBE')
    throw new BadQuery('must be a SELECT, CONSTRUCT or DESCRIBE query')
  if (parameters.has('dataset'))
    return { kind: 'each', textFor: (iri) => bind(parsed, { dataset: namedNode(iri) }) }
  if (parameters.has('limit') || parameters.has('offset')) {
    if (!parameters.has('limit') || !parameters.has('offset'))
      throw new BadQuery('needs both $limit and $offset')
    if (!/\bORDER\s+BY\b/i.test(codeOf(parsed)))
      throw new BadQuery('needs ORDER BY beside $limit and $offset: without it pages overlap')
    return { kind: 'graph', textFor: (limit, offset) => windowOf(parsed, { limit, offset }) }
  }
  return { kind: 'graph', textFor: text }
}

function fileText(name: string, directory: string | undefined): string {
  if (!/^[\w-][\w.-]*\.rq$/.test(name)) throw new BadQuery('file must be the name of a .rq file')
  try {
    return textBeside({ directory, folder: 'sparql', name, most: longest })
  } catch (cause) {
    throw cause instanceof NoSuchFile ? new BadQuery(cause.message, { cause }) : cause
  }
}

/** The text without strings, IRIs and comments. */
const codeOf = ({ tokens }: Query) =>
  tokens.map((token) => (token.kind === 'skip' ? ' ' : token.text)).join('')

const formOf = (query: Query) =>
  /\b(SELECT|CONSTRUCT|DESCRIBE|ASK|INSERT|DELETE|LOAD|CLEAR|DROP)\b/i
    .exec(codeOf(query))?.[1]
    ?.toUpperCase()

function onlyVariable(query: Query): string {
  const head = /\bSELECT\b([^{]*)/i.exec(codeOf(query))?.[1] ?? ''
  const projected = head.replace(/\bWHERE\b/i, '').replace(/\([^)]*\bAS\b\s*([?$]\w+)\s*\)/gi, '$1')
  const variables = [...projected.matchAll(/[?$](\w+)/g)].map(([, name = '']) => name)
  const [variable] = variables
  if (variable === undefined || variables.length > 1)
    throw new BadQuery('a SELECT must have exactly one variable: the datasets')
  return variable
}

function windowOf({ tokens }: Query, values: { limit: number; offset: number }): string {
  const numbers = new Map([
    ['$limit', values.limit],
    ['$offset', values.offset],
  ])
  const isNumber = (kind: string, text: string) => kind === 'parameter' && numbers.has(text)
  return tokens.map(({ kind, text }) => (isNumber(kind, text) ? numbers.get(text) : text)).join('')
}

// What the config of a SPARQL importer may say beside the common keys.

export const sparqlConfig = z.object({
  /** SPARQL text, or a file below `sparql/` beside the pipe. */
  query: z.union([z.string().min(1), z.object({ file: z.string() })]).optional(),
  /** The only named graph that is asked, by the built-in queries. */
  graph: z.string().optional(),
  /** Datasets per request. */
  pageSize: z.int().min(1).max(10_000).default(100),
  /** `post` sends a form, which every endpoint takes. */
  method: z.enum(['post', 'get']).default('post'),
  /** An endpoint answers queries itself; files and triple pattern fragments are queried from here. */
  source: z.enum(['endpoint', 'file', 'fragments']).default('endpoint'),
  /** Format of CONSTRUCT results. */
  inputFormat: z
    .string()
    .refine((name) => formatNamed(name) !== undefined, { error: 'must be an RDF format' })
    .optional(),
})
export type SparqlConfig = z.infer<typeof sparqlConfig>
