/** The keys by which a distribution is recognised from one version of a dataset to the next. */

import { keyOf } from '../../rdf/read.ts'
import type { Quad, Term } from '@rdfjs/types'
import { dcat, dct } from '../../rdf/namespaces.ts'

export type DistributionKeys = {
  readonly node: Term
  readonly identifiers: readonly string[]
  /** Smallest by language and text. */
  readonly title: string | undefined
  readonly accessUrl: string | undefined
  readonly downloadUrl: string | undefined
}

const smallest = (values: readonly string[]): string | undefined =>
  values.reduce<string | undefined>(
    (least, next) => (least === undefined || next < least ? next : least),
    undefined,
  )

/** The keys of the given nodes, in one pass over the quads, ordered so that twins pair up the same way each time. */
export function distributionKeys(
  quads: Iterable<Quad>,
  nodes: ReadonlyMap<string, Term>,
): DistributionKeys[] {
  const about = new Map<string, Quad[]>([...nodes.keys()].map((key) => [key, []]))
  for (const q of quads) about.get(keyOf(q.subject))?.push(q)
  const keys = [...nodes].map(([key, node]): DistributionKeys => {
    const own = about.get(key) ?? []
    const values = (predicate: string) =>
      own.filter((q) => q.predicate.value === predicate).map((q) => q.object)
    const titles = values(dct('title').value).map((term) =>
      term.termType === 'Literal' ? `${term.language}\n${term.value}` : `\n${term.value}`,
    )
    const identifiers = values(dct('identifier').value).filter(
      (term) => term.termType === 'Literal',
    )
    return {
      node,
      identifiers: identifiers.map((term) => term.value).sort(),
      title: smallest(titles)?.split('\n').slice(1).join('\n'),
      accessUrl: smallest(values(dcat('accessURL').value).map((term) => term.value)),
      downloadUrl: smallest(values(dcat('downloadURL').value).map((term) => term.value)),
    }
  })
  return keys.sort((a, b) => (position(a) < position(b) ? -1 : 1))
}

const position = (keys: DistributionKeys) =>
  [keys.accessUrl ?? '', keys.downloadUrl ?? '', keys.title ?? '', keyOf(keys.node)].join('\n')
