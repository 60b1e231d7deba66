/** The id that a dataset of a body has at its origin. */

import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { invalid } from '../../http/shell/complaints.ts'
import { dct } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { origin } from '../routes/parts/parameters.ts'

/** What is asked first for the id: `dct:identifier` or the IRI of the dataset. */
export type Precedence = 'identifier' | 'uri'

type Told = {
  readonly node: Term
  readonly quads: readonly Quad[]
  /** What records of this platform say; they beat everything else, so that what was read here comes back under its id. */
  readonly recorded: readonly string[]
  readonly precedence: Precedence
}

const identifier = dct('identifier').value

/**
 * The record's id, else the smallest `dct:identifier` (literals before IRIs), else the IRI. Throws `invalid-content` when
 * there is none, `invalid-parameter` when it is no original id.
 */
export function originalIdOf({ node, quads, recorded, precedence }: Told): string {
  const iri = node.termType === 'NamedNode' ? node.value : undefined
  const id =
    smallest(recorded) ??
    (precedence === 'uri' ? (iri ?? identifierOf(node, quads)) : (identifierOf(node, quads) ?? iri))
  if (id === undefined) {
    const detail = 'a dataset without record, dct:identifier and IRI has no original id'
    throw new Failure('invalid-content', detail)
  }
  return checkedOriginalId(id)
}

/** Throws `invalid-parameter` for what is no original id. */
export function checkedOriginalId(id: string): string {
  const parsed = origin.safeParse({ originalId: id })
  if (!parsed.success) throw invalid(parsed.error.issues, 'query', { originalId: id })
  return id
}

function identifierOf(node: Term, quads: readonly Quad[]): string | undefined {
  const key = keyOf(node)
  const objects = quads
    .filter((q) => q.predicate.value === identifier && keyOf(q.subject) === key)
    .map((q) => q.object)
  const values = (type: Term['termType']) =>
    objects.filter((term) => term.termType === type).map((term) => term.value)
  return smallest(values('Literal')) ?? smallest(values('NamedNode'))
}

const smallest = (values: readonly string[]): string | undefined =>
  values.filter((value) => value.trim() !== '').sort(compareCodePoints)[0]
