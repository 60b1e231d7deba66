/** Publishers: who offers data here, and what each of them offers. */

import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent } from '../html.ts'
import { chosenText } from '../languages.ts'
import type { PageContent } from '../page.ts'
import { crumbs, headedSection } from '../parts/blocks.ts'
import { entries } from '../parts/hits.ts'
import { contactLines } from '../parts/metadata.ts'
import { fieldsAt, listAt } from '../record.ts'

/** With counts, as the facet of the search has them. Throws `ServiceRefusal` and `Failure`. */
export async function publishersPage(context: PageContext): Promise<PageContent> {
  const { t, formats, language, labelOf, pathTo, find } = context
  const query = new URLSearchParams({
    filters: 'dataset',
    limit: '0',
    locale: language,
    aggregationAllFields: 'false',
    aggregationFields: 'publisher',
    facetSize: '500',
  })
  const { facets } = await find(query.toString())
  const items = (facets.get('publisher') ?? []).map(
    (item) =>
      html`<li> <a href="${pathTo('publishers', item.id)}"><span>${labelOf(item.title)}</span><span class="n">${formats.number(item.count)}<span class="vh">
        ${t('datasets')}</span></span></a> </li>`,
  )
  return {
    title: t('publishers'),
    section: 'data',
    body: html`<h1>${t('publishers')}</h1> <ul class="index close" role="list"> ${items} </ul>`,
  }
}

/** One of them; absent where nothing is published by it. Throws `ServiceRefusal` and `Failure`. */
export async function publisherPage(
  context: PageContext,
  id: string,
): Promise<PageContent | undefined> {
  const { t, formats, language, labelOf, nameOf, pathTo, searchTo, find } = context
  const query = new URLSearchParams({
    filters: 'dataset',
    limit: '10',
    sort: 'modified+desc',
    locale: language,
    facets: JSON.stringify({ publisher: [id] }),
    aggregationAllFields: 'false',
    aggregationFields: 'publisher,catalog',
  })
  const found = await find(query.toString())
  const [first] = found.records
  if (!first) return undefined
  const publisher = fieldsAt(first, 'publisher')
  const name = nameOf(publisher) ?? chosenText(publisher['name'], [language])?.text ?? id
  const contacts = listAt(first, 'contact_point').slice(0, 3)
  const contact: HtmlContent = contacts.map(
    (one) => html`<div> <dt>${t('contact')}</dt> ${contactLines(context, one)} </div>`,
  )
  const below = (record: Fields) => [labelOf(record['catalog']), formats.day(record['modified'])]
  const all = [searchTo([['publisher', id]]), t('all-n', { count: found.count })] as const
  return {
    title: name,
    section: 'data',
    body: html`${crumbs(context, { href: pathTo('publishers'), label: t('publishers') })}
      <header class="title"><h1>${labelOf(publisher) ?? name}</h1></header> <dl class="facts close">
      <div> <dt>${t('datasets-title')}</dt> <dd>${formats.number(found.count)}</dd> </div> ${contact} </dl>
      ${headedSection('in', t('datasets-title'), all, entries(context, found.records, below))}`,
  }
}
