/** The first page: how much there is, where, about what, and what is new. */

import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import type { Found } from '../found.ts'
import { html, type HtmlContent, type HtmlMarkup, joined } from '../html.ts'
import { type PageContent, searchBar } from '../page.ts'
import { headedSection } from '../parts/blocks.ts'
import { entries } from '../parts/hits.ts'
import { areaMap, boxesOf } from '../parts/map.ts'
import { fieldsAt, textAt } from '../record.ts'
import { siteSchema } from '../schema-org.ts'

const [mostAreas, mostNew, mostThemes] = [500, 5, 24]

const counted = ['categories']
const includes = [
  'id',
  'title',
  'identifier',
  'catalog',
  'catalog.title',
  'modified',
  'issued',
  'language',
]

/** Counts are left out where the search does not answer: the field stays. */
export async function homePage(context: PageContext): Promise<PageContent> {
  const { t, config, root, language, configuredText, searchTo, find, aside } = context
  const [recent, catalogues, areas] = await Promise.all([
    aside(find({ filters: 'dataset', limit: mostNew, sort: 'modified+desc', counted, includes })),
    aside(find({ filters: 'catalogue', limit: mostNew, sort: `title.${language}+asc` })),
    aside(find({ filters: 'dataset', limit: mostAreas, includes: ['spatial', 'title'] })),
  ])
  const name = configuredText(config.name)
  const lead = config.lead === undefined ? t('home-lead') : configuredText(config.lead)
  return {
    title: '',
    query: false,
    ...(lead !== '' && { description: lead }),
    canonical: '',
    head: html`<link rel="alternate" type="application/atom+xml" title="${t('feed')}" href="${root}api/hub/search/${language}/feeds/datasets.atom"/>`,
    data: siteSchema(context, name),
    body: html`<div class="hero"> <div> <h1>${heading(context, recent, catalogues, languagesOf(areas))}</h1>
      ${lead !== '' && html`<p class="lead">${lead}</p>`} ${searchBar(context, '', true)}
      ${config.examples.length > 0 && html`<p class="try"><span>${t('for-example')}</span> ${config.examples.map((one) => html`<a href="${searchTo([['q', one]])}">${one}</a>`)}</p>`}
      </div> ${extents(context, areas)} </div> ${
        recent?.count === 0
          ? empty(context)
          : html`${config.home.includes('themes') && themes(context, recent)} <div class="two section">
          ${config.home.includes('recent') && newest(context, recent)}${config.home.includes('catalogues') && someCatalogues(context, catalogues)}
          </div>`
      }`,
  }
}

function heading(
  { t, formats, config, configuredText }: PageContext,
  recent: Found | undefined,
  catalogues: Found | undefined,
  languageCount: number,
): HtmlContent {
  if (!recent || !catalogues || recent.count === 0) return configuredText(config.name)
  const message = t('home-heading', {
    datasets: '\uE001',
    catalogues: '\uE002',
    datasetCount: recent.count,
    catalogueCount: catalogues.count,
    languageCount,
  })
  return message.split(/([\uE001\uE002])/).map((part) => {
    if (part === '\uE001') return html`<b>${formats.number(recent.count)}</b>`
    return part === '\uE002' ? html`<b>${formats.number(catalogues.count)}</b>` : part
  })
}

/** How many languages titles are in; those of machine translations do not count. */
const languagesOf = (found: Found | undefined): number =>
  new Set(
    found?.records
      .flatMap((record) => Object.keys(fieldsAt(record, 'title')))
      .filter((language) => !language.includes('-t-')),
  ).size

function extents(context: PageContext, areas: Found | undefined): HtmlContent {
  const { t, pathTo } = context
  const boxes = (areas?.records ?? []).flatMap(({ spatial }) => boxesOf(spatial).slice(0, 1))
  const label = t('map-of-datasets', { count: boxes.length })
  const map = areaMap(context, boxes, { label, width: 520, height: 400 })
  return (
    map &&
    html`<figure> ${map} <figcaption>${label} · <a href="${pathTo('datasets')}#place">${t('search-by-place')}</a></figcaption> </figure>`
  )
}

function themes(context: PageContext, recent: Found | undefined): HtmlContent {
  const items = (recent?.facets.get('categories') ?? []).filter(({ count }) => count > 0)
  if (items.length === 0) return false
  const links = items.slice(0, mostThemes).map(
    ({ id, title, count }) =>
      html`<li> <a href="${context.searchTo([['categories', id]])}"><span>${context.labelOf(title)}</span><span class="n">${context.formats.number(count)}<span class="vh">
          ${context.t('datasets')}</span></span></a> </li>`,
  )
  return html`<section class="section" aria-labelledby="themes">
    <div class="section-head"><h2 id="themes">${context.t('themes')}</h2></div> <ul class="index" role="list">
    ${links} </ul> </section>`
}

function newest(context: PageContext, recent: Found | undefined): HtmlContent {
  const { t, formats, labelOf, pathTo } = context
  const records = recent?.records ?? []
  const below = (record: Fields) => [
    labelOf(record['catalog']),
    formats.day(record['modified'] ?? record['issued']),
  ]
  const all = html`<a href="${pathTo('datasets')}">${t('all-datasets')}</a>`
  return (
    records.length > 0 &&
    headedSection('new', t('recently-updated'), all, entries(context, records, below))
  )
}

function someCatalogues(context: PageContext, catalogues: Found | undefined): HtmlContent {
  const { t, pathTo } = context
  const items = (catalogues?.records ?? []).map((record) => catalogueEntry(context, record, 'h3'))
  return (
    items.length > 0 &&
    headedSection(
      'cats',
      t('menu-catalogues'),
      html`<a href="${pathTo('catalogues')}">${t('all-catalogues')}</a>`,
      html`<ul class="entries" role="list">${items}</ul>`,
    )
  )
}

/** A catalogue in a list, with how many datasets it has. */
export function catalogueEntry(
  context: PageContext,
  record: Fields,
  heading: 'h2' | 'h3',
): HtmlMarkup {
  const { t, labelOf, pathTo, textOf, titleOf } = context
  const title = html`<a href="${pathTo('catalogues', textAt(record, 'id') ?? '')}">${titleOf(record)}</a>`
  const count = Number(record['count'] ?? 0)
  const below = joined(
    [
      t('n-datasets', { count }),
      labelOf(record['country']),
      heading === 'h2' && labelOf(record['publisher']),
    ],
    ' · ',
  )
  const description = heading === 'h2' ? textOf(record['description'], record) : undefined
  const about = description && html`<p class="prose">${description.text.slice(0, 400)}</p>`
  return heading === 'h2'
    ? html`<li> <h2>${title}</h2> ${about} <p>${below}</p> </li>`
    : html`<li> <h3>${title}</h3> <p>${below}</p> </li>`
}

/** Nothing is in yet: the two ways to change that. */
const empty = (context: PageContext): HtmlMarkup =>
  html`<section class="section"> <h2>${context.t('no-datasets-yet')}</h2> <ul class="prose">
    <li>${context.t('add-by-import')} <code>npm run import -- catalogue.ttl</code></li>
    <li>${context.t('add-by-pipe')} <code>pipes/</code></li> </ul> </section>`
