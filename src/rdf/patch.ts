/**
 * RDF Patch (`application/rdf-patch`): a difference as lines `D` and `A`, each with a statement in N-Triples. Lines about
 * transactions and headers, which other writers send, are ignored; prefixes are refused.
 */

import type { Quad } from '@rdfjs/types'
import { Failure, shown, type Complaint } from '../errors.ts'
import type { Difference } from './difference.ts'
import { joinLines, toLine } from './lines.ts'
import { parse } from './parse.ts'
import { labelPrefix } from './reading/checked-terms.ts'
import { malformed, type TermLimits } from './reading/options.ts'
import { blankNode, quad } from './terms.ts'

/** Media type of a patch. */
export const patchMediaType = 'application/rdf-patch'

/** Line of a patch: removes (`D`) or adds (`A`) a statement. */
type PatchLine = { readonly kind: 'D' | 'A'; readonly quad: Quad; readonly line: number }

/** Writes a difference as a patch, removals first. */
export const toPatch = ({ removed, added }: Difference): string =>
  joinLines([...removed.map((q) => `D ${toLine(q)}`), ...added.map((q) => `A ${toLine(q)}`)])

const statementLine = /^\s*([DA])\s+(\S.*)$/s
const ignoredLine = /^\s*(#.*|H\s.*|T[XCA]\s*\.?\s*)?$/s

/** Parses a patch of at most `maxLines` statements. Throws `malformed-rdf` and `invalid-content` with the line, and `too-large`. */
export async function parsePatch(
  text: string,
  { limits, maxLines }: { readonly limits?: TermLimits; readonly maxLines: number },
): Promise<readonly PatchLine[]> {
  const lines: PatchLine[] = []
  for (const [at, content] of text.split('\n').entries()) {
    if (ignoredLine.test(content)) continue
    const [, kind, statement = ''] = statementLine.exec(content) ?? []
    if (kind !== 'D' && kind !== 'A')
      throw malformed(`${shown(content)} is not "D" or "A" and a statement`, { line: at + 1 })
    if (lines.length === maxLines)
      throw new Failure('too-large', `a patch may have at most ${maxLines} statements`)
    lines.push({ kind, line: at + 1, quad: await parseStatement(statement, at + 1, limits) })
  }
  return lines
}

async function parseStatement(text: string, line: number, limits?: TermLimits): Promise<Quad> {
  const quads = await parse(`${text}\n`, 'ntriples', {
    baseIri: '',
    ...(limits && { limits }),
  }).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
    const errors = error.errors.map((complaint) => ({ ...complaint, line }))
    throw new Failure(error.kind, error.detail.replace(/ \(line 1\)$/, ` (line ${line})`), {
      errors,
    })
  })
  const [statement] = quads
  if (!statement || quads.length > 1) throw malformed('a line has one statement', { line })
  return asWritten(statement)
}

/** Returns a statement with the labels of the text, without the prefix that readers add. */
function asWritten({ subject, predicate, object }: Quad): Quad {
  const named = <T extends Quad['subject'] | Quad['object']>(term: T) =>
    term.termType === 'BlankNode' ? blankNode(labelIn(term.value)) : term
  return quad(named(subject), predicate, named(object))
}

/** Label after the prefixes of the reader, which are unique to a call. */
const labelIn = (label: string) => label.slice(label.indexOf(labelPrefix) + labelPrefix.length)

/** Most lines that a problem names. */
const maxComplaints = 20

/** Applies a patch line by line. Throws `invalid-content` with the lines that remove a statement that is not there. */
export function applyPatch(graph: readonly Quad[], patch: readonly PatchLine[]): Quad[] {
  const result = new Map(graph.map((q) => [toLine(q), q]))
  const missing: Complaint[] = []
  for (const { kind, quad: statement, line } of patch) {
    const text = toLine(statement)
    if (kind === 'A') result.set(text, statement)
    else if (!result.delete(text)) missing.push({ line, detail: shown(text) })
  }
  if (missing.length === 0) return [...result.values()]
  const where =
    missing.length === 1 ? `line ${missing[0]?.line} removes` : `${missing.length} lines remove`
  throw new Failure('invalid-content', `${where} a statement that is not there`, {
    errors: missing.slice(0, maxComplaints),
  })
}
