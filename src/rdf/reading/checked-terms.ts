/** The factory that every reader makes its terms with: no IRI, tag or text gets past it unchecked. */
import type { Literal, NamedNode, Quad } from '@rdfjs/types'
import { isIri, maxIriBytes, repairIri } from '../iri.ts'
import { blankNode, defaultGraph, literal, namedNode, quad } from '../terms.ts'
import { BadTerm, type ParseOptions, type Place } from './options.ts'

/** Longest literal in UTF-16 units. */
const maxLiteral = 1_048_576

// BCP 47 as Turtle writes it: subtags of at most eight letters or digits.
const tag = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/

/** Stands for a term that could not be repaired; triples that hold it are left out. */
const unusable = namedNode('urn:cartulary:unusable')

/** Whether all terms of a triple are usable. Call it on everything that a checked factory made in repair mode. */
export const isUsable = (triple: Quad): boolean =>
  triple.subject !== unusable && triple.predicate !== unusable && triple.object !== unusable

let parses = 0

/** JSON-LD lets a label hold anything. The outcome suits every syntax; different labels stay different. */
const safeLabel = (label: string) =>
  label.replace(/[^A-Za-z0-9_]/g, (found) => `-${found.charCodeAt(0).toString(16)}-`)

type Direction = { readonly language: string; readonly direction?: string }

/**
 * RDF/JS terms that are checked while they are made; throws `BadTerm`. `place` is asked only when something is reported.
 * Labels of blank nodes are made unique to this factory.
 */
export function checkedTerms(options: ParseOptions, place: () => Place = () => ({})) {
  const known = new Map<string, NamedNode>()
  const prefix = `p${++parses}_`
  const { repair } = options

  const repaired = (from: string): NamedNode => {
    const to = repairIri(from)
    const usable = isIri(to) && Buffer.byteLength(to) <= maxIriBytes
    repair?.({ kind: 'iri', from, ...(usable ? { to } : {}), ...place() })
    return usable ? namedNode(to) : unusable
  }
  const checked = (iri: string): NamedNode => {
    const good = isIri(iri)
    if (good && (iri.length * 3 <= maxIriBytes || Buffer.byteLength(iri) <= maxIriBytes)) {
      return namedNode(iri)
    }
    if (repair) return repaired(iri)
    if (good)
      throw new BadTerm(`an IRI is longer than ${maxIriBytes} bytes`, iri, 'invalid-content')
    throw new BadTerm(`<${iri.toWellFormed()}> is not an absolute IRI (RFC 3987)`, iri)
  }
  const language = (from: string): string => {
    if (tag.test(from)) return from
    if (!repair) throw new BadTerm(`"${from}" is not a language tag (BCP 47)`, from)
    const candidate = from.trim().replaceAll(/[_\s]+/g, '-')
    const to = tag.test(candidate) ? candidate : ''
    repair({ kind: 'language', from, to, ...place() })
    return to
  }
  const text = (value: string): string | undefined => {
    if (value.length <= maxLiteral && value.isWellFormed()) return value
    if (value.length > maxLiteral) {
      if (!repair) throw new BadTerm('a literal is longer than 1 MiB', value, 'invalid-content')
      repair({ kind: 'literal', from: value.slice(0, 80), ...place() })
      return undefined
    }
    if (!repair) throw new BadTerm('a literal holds half of a surrogate pair', value)
    const to = value.toWellFormed()
    repair({ kind: 'literal', from: to.slice(0, 80), to: to.slice(0, 80), ...place() })
    return to
  }
  return {
    namedNode(iri: string): NamedNode {
      let term = known.get(iri)
      if (!term) known.set(iri, (term = checked(iri)))
      if (known.size > 10_000) known.clear()
      return term
    },
    literal(value: string, extra?: string | NamedNode | Direction): Literal | NamedNode {
      const kept = text(value)
      if (kept === undefined) return unusable
      if (extra === undefined || extra === '') return literal(kept)
      if (typeof extra === 'string') return literal(kept, language(extra))
      if ('termType' in extra) return extra === unusable ? unusable : literal(kept, extra)
      if (extra.direction && !repair) {
        throw new BadTerm('literals with a base direction are not supported', extra.direction)
      }
      return literal(kept, language(extra.language))
    },
    blankNode: (label?: string) =>
      label === undefined ? blankNode() : blankNode(prefix + safeLabel(label)),
    variable(name: string): never {
      throw new BadTerm(`variables are not RDF (?${name})`, name)
    },
    defaultGraph,
    quad,
  }
}

/** Made by `checkedTerms`. */
export type CheckedTerms = ReturnType<typeof checkedTerms>
