/** A record that is not published yet, as its hit would look: read from its RDF, without what other services add. */

import type { Quad, Term } from '@rdfjs/types'
import { dcat, dct, rdf } from '../../rdf/namespaces.ts'
import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent } from '../html.ts'
import { pageSection } from './blocks.ts'
import { hit } from './hits.ts'

/** Records that are shown; a whole catalogue may be checked. */
const mostRecords = 5

/** Nothing where the RDF describes no dataset. */
export function recordPreviews(context: PageContext, quads: readonly Quad[]): HtmlContent {
  const datasets = quads.filter(
    ({ predicate, object }) =>
      predicate.value === rdf('type').value && object.value === dcat('Dataset').value,
  )
  if (datasets.length === 0) return false
  // Grouped once: a text of two megabytes may have thousands of distributions.
  const bySubject = Map.groupBy(quads, ({ subject }) => subject.value)
  const cards = datasets
    .slice(0, mostRecords)
    .map(({ subject }) => hit(context, recordOf(bySubject, subject)))
  return pageSection(
    'look',
    context.t('would-look'),
    html`<ol class="hits" role="list">${cards}</ol>`,
  )
}

function recordOf(bySubject: ReadonlyMap<string, readonly Quad[]>, subject: Term): Fields {
  const valuesOf = (node: Term, predicate: Term) =>
    (bySubject.get(node.value) ?? [])
      .filter((quad) => quad.predicate.equals(predicate))
      .map(({ object }) => object)
  const texts = (predicate: Term) =>
    Object.fromEntries(
      valuesOf(subject, predicate).map((one) => [
        ('language' in one ? one.language : '') || 'en',
        one.value,
      ]),
    )
  const distributions = valuesOf(subject, dcat('distribution')).map((node) => ({
    format: nameOf(valuesOf(node, dct('format'))[0]),
    license: licenceOf(valuesOf(node, dct('license'))[0]),
  }))
  return {
    title: texts(dct('title')),
    description: texts(dct('description')),
    identifier: [subject.value],
    modified: valuesOf(subject, dct('modified'))[0]?.value,
    distributions,
  }
}

/** The end of an IRI of a table, a text as it is. */
const nameOf = (term: Term | undefined) =>
  term && { id: term.value, label: term.value.split('/').at(-1) }

const licenceOf = (term: Term | undefined) =>
  term && { id: term.value.split('/').at(-1), label: term.value, resource: term.value }
