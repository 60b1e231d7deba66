/** Home page: search field, numbers of datasets and catalogues, a map, themes, recently changed datasets, and catalogues. */

import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import type { SearchResult } from '../search-result.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { type PageContent, searchBar } from '../layout.ts'
import { countedLinks, headedSection } from '../parts/blocks.ts'
import { catalogueEntry, datasetList, hitFields } from '../parts/hits.ts'
import { areaMap, areasOf } from '../parts/map.ts'
import { fieldsAt } from '../record.ts'
import { siteSchema } from '../schema-org.ts'

const newestFirst = { filters: 'dataset', sort: 'modified+desc' }
const [mostAreas, mostNew, mostCatalogues, mostThemes] = [500, 5, 6, 24]

/** Home page. Where the search service does not answer, the page has the search field without numbers and lists. */
export async function homePage(context: PageContext): Promise<PageContent> {
  const { t, config, root, language, configuredText, optional, find, searchTo } = context
  const [recent, catalogues, areas] = await Promise.all([
    optional(
      find({ ...newestFirst, limit: mostNew, counted: ['categories'], includes: hitFields }),
    ),
    optional(find({ filters: 'catalogue', limit: mostCatalogues, sort: `title.${language}+asc` })),
    optional(find({ filters: 'dataset', limit: mostAreas, includes: ['spatial', 'title'] })),
  ])
  const lead = config.lead === undefined ? t('home-lead') : configuredText(config.lead)
  const { examples: configured } = config
  const searches = Array.isArray(configured)
    ? configured
    : (Object.entries(configured).find(([key]) => key === language)?.[1] ??
      configured[config.defaultLanguage])
  const examples = (searches ?? []).map(
    (q: string) => html`<a href="${searchTo([['q', q]])}">${q}</a>`,
  )
  return {
    title: '',
    query: false,
    ...(lead !== '' && { description: lead }),
    canonical: '',
    head: html`<link rel="alternate" type="application/atom+xml" title="${t('feed')}" href="${root}api/hub/search/${language}/feeds/datasets.atom"/>`,
    data: siteSchema(context, configuredText(config.name)),
    body: html`<div class="hero"><div><h1>${heading(context, recent, catalogues, areas)}</h1>
      ${lead !== '' && html`<p class="lead">${lead}</p>`} ${searchBar(context, '', true)}
      ${examples.length > 0 && html`<p class="try"><span>${t('for-example')}</span> ${examples}</p>`}
      </div> ${extents(context, areas)}</div> ${
        recent?.count === 0
          ? emptyPortal(context)
          : html`${config.home.includes('themes') && themes(context, recent)} <div class="two section">
          ${config.home.includes('recent') && newest(context, recent)}
          ${config.home.includes('catalogues') && someCatalogues(context, catalogues)}</div>`
      }`,
  }
}

/** Heading with the numbers of datasets and catalogues, else the name of the portal. */
function heading(
  { t, formats, config, configuredText }: PageContext,
  recent: SearchResult | undefined,
  catalogues: SearchResult | undefined,
  areas: SearchResult | undefined,
): HtmlContent {
  if (!recent || !catalogues || recent.count === 0) return configuredText(config.name)
  const bold = ({ count }: SearchResult) => `\n${formats.number(count)}\n`
  const message = t('home-heading', {
    datasets: bold(recent),
    catalogues: bold(catalogues),
    datasetCount: recent.count,
    catalogueCount: catalogues.count,
    languageCount: languageCount(areas),
  })
  return message.split('\n').map((part, i) => (i % 2 === 1 ? html`<b>${part}</b>` : part))
}

/** Number of languages of the titles of the datasets that were read for the map, without machine translations. */
const languageCount = (result: SearchResult | undefined): number =>
  new Set(
    result?.records
      .flatMap((record) => Object.keys(fieldsAt(record, 'title')))
      .filter((language) => !language.includes('-t-')),
  ).size

/** Map of the first area of each of at most `mostAreas` datasets; nothing without areas. */
function extents(context: PageContext, areas: SearchResult | undefined): HtmlContent {
  const { t, searchTo } = context
  const boxes = (areas?.records ?? []).flatMap(({ spatial }) => areasOf(spatial).slice(0, 1))
  const label = t('map-of-datasets', { count: boxes.length })
  const map = areaMap(context, boxes, { label, width: 520, height: 400 })
  const search = searchTo([['open', 'place']])
  return (
    map &&
    html`<figure>${map} <figcaption>${label} · <a href="${search}#place">${t('search-by-place')}</a></figcaption></figure>`
  )
}

function themes(context: PageContext, recent: SearchResult | undefined): HtmlContent {
  const { t, labelOf, searchTo } = context
  const links = (recent?.facets.get('categories') ?? [])
    .filter(({ count }) => count > 0)
    .slice(0, mostThemes)
    .map(({ id, title, count }) => {
      return { href: searchTo([['categories', id]]), label: labelOf(title), count }
    })
  const list = countedLinks(context, links, t('datasets'), 'index')
  return links.length > 0 && headedSection('themes', t('themes'), false, list)
}

function newest(context: PageContext, recent: SearchResult | undefined): HtmlContent {
  const { t, formats, labelOf, pathTo } = context
  const records = recent?.records ?? []
  const below = (record: Fields) => [
    labelOf(record['catalog']),
    formats.day(record['modified'] ?? record['issued']),
  ]
  const allLink = html`<a href="${pathTo('datasets')}">${t('all-datasets')}</a>`
  const list = datasetList(context, records, below)
  return records.length > 0 && headedSection('new', t('recently-updated'), allLink, list)
}

function someCatalogues(context: PageContext, catalogues: SearchResult | undefined): HtmlContent {
  const { t, pathTo } = context
  const items = (catalogues?.records ?? []).map((record) => catalogueEntry(context, record, 'h3'))
  const allLink = html`<a href="${pathTo('catalogues')}">${t('all-catalogues')}</a>`
  const list = html`<ul class="entries" role="list">${items}</ul>`
  return items.length > 0 && headedSection('cats', t('menu-catalogues'), allLink, list)
}

/** Section for a portal without datasets: the two ways to add some. */
const emptyPortal = ({ t }: PageContext): HtmlMarkup =>
  html`<section class="section"><h2>${t('no-datasets-yet')}</h2><ul class="prose">
    <li>${t('add-by-import')} <code>npx cartulary import catalogue.ttl</code></li>
    <li>${t('add-by-pipe')} <code>pipes/</code></li></ul></section>`
