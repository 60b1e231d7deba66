/** Publishers: who offers data here, and what each of them offers. */

import type { PageContext } from '../context.ts'
import { html } from '../html.ts'
import type { PageContent } from '../page.ts'
import { countedLinks, crumbs } from '../parts/blocks.ts'
import { contactLines } from '../parts/metadata.ts'
import { datasetsWith } from '../parts/record-lists.ts'
import { listAt, valueAt } from '../record.ts'

/** With counts, as the facet of the search has them. Throws `ServiceRefusal` and `Failure`. */
export async function publishersPage(context: PageContext): Promise<PageContent> {
  const { t, labelOf, pathTo, find } = context
  const more = { facetSize: '500' }
  const { facets } = await find({ filters: 'dataset', limit: 0, counted: ['publisher'], more })
  const links = (facets.get('publisher') ?? []).map(({ id, title, count }) => {
    return { href: pathTo('publishers', id), label: labelOf(title), count }
  })
  const title = t('publishers')
  const body = html`<h1>${title}</h1>${countedLinks(context, links, t('datasets'))}`
  return { title, section: 'data', body }
}

/** One of them; absent where nothing is published by it. Throws `ServiceRefusal` and `Failure`. */
export async function publisherPage(
  context: PageContext,
  id: string,
): Promise<PageContent | undefined> {
  const { t, formats, labelOf, nameOf, pathTo } = context
  const { found, section } = await datasetsWith(context, {
    facet: 'publisher',
    value: id,
    heading: t('datasets-title'),
    about: ({ catalog }) => labelOf(catalog),
  })
  const [first] = found.records
  if (!first) return undefined
  const publisher = valueAt(first, 'publisher')
  const contacts = listAt(first, 'contact_point').slice(0, 3)
  const rows = [
    [t('datasets-title'), html`<dd>${formats.number(found.count)}</dd>`] as const,
    ...contacts.map((one) => [t('contact'), contactLines(context, one)] as const),
  ]
  return {
    title: nameOf(publisher) ?? id,
    section: 'data',
    body: html`${crumbs(context, { href: pathTo('publishers'), label: t('publishers') })}
      <header class="title"><h1>${labelOf(publisher) ?? id}</h1></header>
      <dl class="facts close">${rows.map(([name, values]) => html`<div><dt>${name}</dt>${values}</div>`)}</dl>
      ${section}`,
  }
}
