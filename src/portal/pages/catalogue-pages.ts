/** Pages of catalogues, with their datasets, quality and dumps, and of publishers. */

import { type Fields, listed, valueAt } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import type { SearchResult } from '../search-result.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, joinHtml, linkTo } from '../html.ts'
import type { MaybePage, PageContent } from '../layout.ts'
import { breadcrumbs, pairList, panel, rdfLinks } from '../parts/blocks.ts'
import { catalogueEntry, plainDescription, truncateAtWord } from '../parts/hits.ts'
import { contactLines } from '../parts/metadata.ts'
import { sanitizedProse } from '../parts/prose.ts'
import { meanScore } from '../parts/quality.ts'
import { datasetsWith, pagedList, valueLinks } from '../parts/record-lists.ts'
import { fieldsAt, listAt } from '../record.ts'
import { catalogueSchema } from '../schema-org.ts'

/** Most formats, and most themes, of a catalogue that its page lists. */
const mostTags = 12

/** List of all catalogues by title. Rejects with `Failure`. */
export async function cataloguesPage(context: PageContext): Promise<PageContent> {
  const { t, language } = context
  const { result, body } = await pagedList(context, {
    params: { filters: 'catalogue', sort: `title.${language}+asc` },
    style: 'entries',
    item: (record) => catalogueEntry(context, record, 'h2'),
  })
  const title = t('n-catalogues', { count: result.count })
  const page = { title, section: 'catalogues', canonical: 'catalogues' } as const
  return { ...page, body: html`<h1>${title}</h1>${body}` }
}

/** Page of a catalogue. Rejects with `Failure`. */
export async function cataloguePage(context: PageContext, id: string): Promise<PageContent> {
  const { root, language, ask, optional, readRecord } = context
  const path = `catalogues/${encodeURIComponent(id)}`
  const [record, measured] = await Promise.all([
    readRecord('catalogues', id),
    optional(ask('metrics', `/${path}`)),
  ])
  return {
    ...(await catalogueView(context, id, record, [
      qualityPanel(context, id, measured),
      dumps(context, id),
    ])),
    canonical: path,
    record: { path, fields: record },
    data: catalogueSchema(context, record, `${root}${language}/${path}`),
  }
}

/** Page made of the record of a catalogue; `panels` are those of a published one. Rejects with `Failure`. */
export async function catalogueView(
  context: PageContext,
  id: string,
  record: Fields,
  [quality, whole]: readonly HtmlContent[] = [],
): Promise<PageContent> {
  const { t, pathTo, plainTitle, titleOf } = context
  const { result, section } = await datasetsOf(context, id)
  const title = plainTitle(record)
  const description = context.textOf(record['description'], record)
  return {
    title,
    section: 'catalogues',
    description: truncateAtWord(plainDescription(description?.text ?? title), 150),
    body: html`${breadcrumbs(context, { href: pathTo('catalogues'), label: t('menu-catalogues') })}
      <div class="with-aside"><div><header class="title"><h1>${titleOf(record)}</h1>
      ${publishedBy(context, record)}</header><div class="prose close stack">
      ${description && context.inLanguage(description, sanitizedProse(description.text))}</div>
      ${facts(context, record, result)} ${section}</div>
      <aside aria-label="${t('about-catalogue')}">${quality}
      ${tagPanel(context, id, 'format', result)} ${tagPanel(context, id, 'categories', result)}
      ${whole}</aside></div>`,
  }
}

function publishedBy({ t, labelOf }: PageContext, record: Fields): HtmlContent {
  const name = labelOf(record['publisher'])
  const homepage = valueAt(record, 'publisher.homepage')
  return name && html`<p class="by">${t('published-by')} ${linkTo(homepage, name)}</p>`
}

const facts = ({ t, formats, labelOf }: PageContext, record: Fields, { count }: SearchResult) =>
  pairList(
    [
      [t('datasets-title'), formats.number(count)],
      [
        t('languages'),
        joinHtml(
          listed(record['language']).map((language) => labelOf(language)),
          ', ',
        ),
      ],
      [t('country'), labelOf(record['country'])],
      [t('last-change'), formats.day(record['modified'])],
    ],
    'facts close',
  )

function datasetsOf(context: PageContext, id: string) {
  const { t, pathTo, formatsOf } = context
  const label = t('search-catalogue')
  return datasetsWith(context, {
    facet: 'catalog',
    value: id,
    counted: ['format', 'categories'],
    about: (record) => formatsOf(record).join(', '),
    above: html`<search><form class="searchbar" action="${pathTo('datasets')}">
      <label class="vh" for="qc">${label}</label><input type="hidden" name="catalog" value="${id}" />
      <input type="search" id="qc" name="q" placeholder="${label}"/>
      <button class="button primary">${icon('search')}<span class="vh">${label}</span></button></form></search>`,
  })
}

function qualityPanel(context: PageContext, id: string, measured: unknown): HtmlContent {
  const { t, pathTo } = context
  const result = fieldsAt(measured, 'result.results.0')
  if (typeof result['score'] !== 'number') return false
  const report = html`<p><a href="${pathTo('quality', 'catalogues', id)}">${t('full-report')}</a></p>`
  return panel(t('metadata-quality'), [...meanScore(context, result), report])
}

/** Panel of the formats or themes of a catalogue, each a link to a search. */
function tagPanel(
  { t, formats, searchTo, labelOf }: PageContext,
  catalogue: string,
  facet: 'format' | 'categories',
  { facets }: SearchResult,
): HtmlContent {
  const [heading, style] = facet === 'format' ? ['formats', 'tag format'] : ['themes', 'tag']
  const items = (facets.get(facet) ?? []).filter(({ count }) => count > 0).slice(0, mostTags)
  const tags = items.map(({ id, title, count }) => {
    const query = [['catalog', catalogue] as const, [facet, id] as const]
    return html`<a class="${style}" href="${searchTo(query)}">${labelOf(title)}
      <span class="n">${formats.number(count)}</span></a>`
  })
  return tags.length > 0 && panel(t(heading), html`<p class="tags">${tags}</p>`)
}

function dumps({ root, t, language }: PageContext, id: string): HtmlMarkup {
  const facets = encodeURIComponent(JSON.stringify({ catalog: [id] }))
  const feed = `${root}api/hub/search/${language}/feeds/datasets.atom?facets=${facets}`
  const dump = `${root}api/hub/repo/catalogues/${encodeURIComponent(id)}/dump`
  return panel(
    t('whole-catalogue'),
    html`<p class="formats">${rdfLinks(dump)}<a href="${feed}">${icon('rss')} ${t('feed')}</a></p>`,
  )
}

/** List of the publishers of datasets (`valueLinks`). Rejects with `Failure`. */
export async function publishersPage(context: PageContext): Promise<PageContent> {
  const title = context.t('publishers')
  const links = await valueLinks(context, 'publishers', 'dataset', 'publisher')
  return { title, section: 'data', body: html`<h1>${title}</h1>${links}` }
}

/**
 * Page of a publisher, with the contacts of its dataset that changed last; `undefined` for one without datasets. Rejects with
 * `Failure`.
 */
export async function publisherPage(context: PageContext, id: string): MaybePage {
  const { t, formats, labelOf, nameOf, pathTo } = context
  const { result, section } = await datasetsWith(context, {
    facet: 'publisher',
    value: id,
    about: ({ catalog }) => labelOf(catalog),
  })
  const [first] = result.records
  if (!first) return undefined
  const publisher = valueAt(first, 'publisher')
  const contacts = listAt(first, 'contact_point').slice(0, 3)
  const rows = [
    [t('datasets-title'), formats.number(result.count)] as const,
    ...contacts.map((contact) => [t('contact'), contactLines(context, contact)] as const),
  ]
  return {
    title: nameOf(publisher) ?? id,
    section: 'data',
    body: html`${breadcrumbs(context, { href: pathTo('publishers'), label: t('publishers') })}
      <header class="title"><h1>${labelOf(publisher) ?? id}</h1></header>
      ${pairList(rows, 'facts close')}
      ${section}`,
  }
}
