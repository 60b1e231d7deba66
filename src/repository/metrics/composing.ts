/** What is stored of the metrics of a dataset, worked out and not yet written. */

import { hash } from 'node:crypto'
import type { Quad } from '@rdfjs/types'
import { canonicalise } from '../../rdf/canonical.ts'
import { fromLines, toLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { dqv, prov, xsd } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { skolemise } from '../../rdf/skolem.ts'
import { blankAgain } from '../content/rename.ts'
import type { Fresh } from '../../store/marks.ts'
import type { WritingDeps } from '../deps.ts'
import { tooManyTriples } from '../writing/dataset-plan.ts'
import { metricsContent } from './metrics-content.ts'
import { usualLines } from './usual-lines.ts'

/** Stored lines are the same for the same graph, so their hash is as good as the canonical one and costs nothing. */
export const hashOf = (lines: string): string => hash('sha256', lines, 'hex')

/** So many times as many triples as a dataset may have: of a distribution of four triples a measuring says seventy and more. */
const measuresOfEach = 5

/** What is stored of metrics: its lines, and what they say as it was sent. */
type Composed = { readonly content: string; readonly said: readonly Quad[] }

/**
 * The graph out of what was sent; `described` is the dataset as it is stored. Fails with `ambiguous-subject`,
 * `invalid-content`, `too-large`, `too-complex`.
 */
export async function composed(
  { names, triples, canonical }: Pick<WritingDeps, 'names' | 'triples' | 'canonical'>,
  dataset: string,
  described: string,
  sent: readonly Quad[],
): Promise<Composed> {
  const iri = names.metrics(dataset)
  const measured = { iri, resources: resourcesOf(described, names.dataset(dataset), names) }
  const body = blankAgain(sent, names, [iri])
  const most = triples * measuresOfEach
  const usual = body.length > most ? undefined : usualLines(body, measured, names)
  if (usual !== undefined) return { content: usual, said: body }
  const quads = metricsContent(body, measured, names)
  if (quads.length > most) throw tooManyTriples(quads.length, most, `${measuresOfEach} times the `)
  const { labels } = await canonicalise(quads, { work: canonical?.work })
  const content = toLines(skolemise(quads, { genid: names.genid(iri), labels }))
  return { content, said: quads }
}

/** The dataset and its distributions, those behind `adms:sample` included: they stand in its lines, which need not be parsed for that. */
function resourcesOf(described: string, dataset: string, names: Names): ReadonlySet<string> {
  const found = new Set([dataset])
  const start = `<${names.distribution('')}`
  for (let at = described.indexOf(start); at >= 0; at = described.indexOf(start, at + 1)) {
    const end = described.indexOf('>', at)
    // A literal may say anything, but neither begins a line nor ends one.
    const isSubject = at === 0 || described[at - 1] === '\n'
    const isObject = described[at - 1] === ' ' && described.startsWith('> .\n', end)
    const iri = described.slice(at + 1, end)
    if ((isSubject || isObject) && names.idOf('distribution', iri) !== undefined) found.add(iri)
  }
  return found
}

const link = dqv('hasQualityMeasurement').value
const value = dqv('value').value
const time = prov('generatedAtTime').value
const boolean = xsd('boolean').value

type Alone = {
  /** Id of the dataset's catalogue. */
  readonly catalogue: string
  /** IRI of the dataset. */
  readonly resource: string
  /** The dataset as it is stored. */
  readonly text: string
  /** What its metrics say. */
  readonly said: readonly Quad[]
}

/** What a dataset holds of which nothing but the metrics was written. */
export const measuredAlone = ({ catalogue, resource, text, said }: Alone): Fresh => ({
  catalogue,
  quads: () => fromLines(text),
  created: false,
  scores: scoresIn(said, resource),
})

/**
 * The measurements whose value may be a number, links of the dataset to them included: its document needs no others. Scores
 * come in every datatype there is for numbers.
 */
function scoresIn(quads: readonly Quad[], dataset: string): readonly Quad[] {
  const numbers = new Set<string>()
  for (const { subject, predicate, object } of quads) {
    if (predicate.value !== value || object.termType !== 'Literal') continue
    if (object.datatype.value !== boolean) numbers.add(keyOf(subject))
  }
  return quads.filter(
    ({ subject, predicate, object }) =>
      numbers.has(keyOf(subject)) ||
      (predicate.value === link && subject.value === dataset && numbers.has(keyOf(object))),
  )
}

const timed = ` <${time}> `
const valued = ` <${value}> `
const truth = `"^^<${boolean}> .`

/**
 * What is other in a graph than it was: `times` alone, or also what documents do not tell, or `numbers`, which may be scores.
 * A graph that says when it was measured says it of each measurement, hence in the same places.
 */
export function otherIn(before: string, after: string): 'times' | 'more' | 'numbers' {
  const [old, next] = [before.split('\n'), after.split('\n')]
  const isSame = (line: string, at: number) => {
    const other = next[at] ?? ''
    return line === other || (line.includes(timed) && other.includes(timed))
  }
  if (old.length === next.length && old.every(isSame)) return 'times'
  const numbers = (lines: readonly string[]) =>
    lines.filter((line) => line.includes(valued) && !line.endsWith(truth)).join('\n')
  return numbers(old) === numbers(next) ? 'more' : 'numbers'
}

/** When a graph was made, in milliseconds since 1970; 0 where it does not say. */
export function timeOf(lines: string, metrics: string): number {
  const start = `<${metrics}> <${time}> "`
  const at = lines.indexOf(start)
  const text = at < 0 ? '' : lines.slice(at + start.length, lines.indexOf('"', at + start.length))
  return Date.parse(text) || 0
}
