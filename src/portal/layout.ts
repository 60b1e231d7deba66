/** Layout of all pages: the HTML document around the content, with head, menus, search field and footer. */

import type { ProblemAnswer } from '../http/problem.ts'
import { type Fields, valueAt } from '../text/json.ts'
import { mainFont } from './page-shell.ts'
import type { PageContext } from './context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, jsonScript, safeAddress } from './html.ts'
import { directionOf, interfaceLanguages } from './translations.ts'
import { serialisations } from './parts/blocks.ts'
import { sharedLicence } from './record.ts'

type Section = (typeof menu)[number] | 'harvest'

/** Status of a page; other than 200 only for a form that was refused. */
export type PageStatus = 200 | ProblemAnswer['status']

/** Content of a page and its metadata for the layout. */
export type PageContent = {
  /** Title of the window, without the name of the portal; empty for the home page. */
  readonly title: string
  /** Entry of the menu that is marked as current; `harvest`, the pages of stewards, has no entry and marks none. */
  readonly section?: Section
  /** Description for search engines; by default the title (on the home page the name of the portal) and the message `home-lead`. */
  readonly description?: string
  /** `false` keeps search engines from indexing the page. */
  readonly isIndexed?: boolean
  /** `false` keeps caches from storing the page, also that of an anonymous reader. */
  readonly isStored?: boolean
  /** Canonical path of the page after its language: `datasets/{id}`. */
  readonly canonical?: string
  /** The record that the page is about, and its path in the repository. */
  readonly record?: { readonly path: string; readonly fields: Fields }
  /** Further elements of the head. */
  readonly head?: HtmlContent
  /** schema.org, as JSON-LD. */
  readonly data?: object
  readonly body: HtmlContent
  /** Text in the search field of the header, empty by default; `false` leaves the field out. */
  readonly query?: string | false
}

/** Promise of a page; `undefined` where there is no such page (404). Rejects with `Failure`. */
export type MaybePage = Promise<PageContent | undefined>

/** Value of the header `Link` of a page about a record: its RDF, its IRI and its licence (RFC 8288, RFC 8574). */
export function linkHeader({ root }: PageContext, { record }: PageContent): string | undefined {
  if (!record) return undefined
  const address = `${root}api/hub/repo/${record.path}`
  const licence = valueAt(sharedLicence(record.fields), 'resource')
  const links = [
    ...Object.entries(serialisations).map(
      ([ending, [, type]]) => [`${address}.${ending}`, `alternate"; type="${type}`] as const,
    ),
    [`${address}.ttl`, 'describedby'] as const,
    [safeAddress(record.fields['resource']), 'cite-as'] as const,
    [safeAddress(licence ?? valueAt(record.fields, 'license.resource')), 'license'] as const,
  ]
  return links
    .flatMap(([href, rel]) => (href === undefined ? [] : `<${href}>; rel="${rel}"`))
    .join(', ')
}

/** HTML document of a page; in a frame (`isEmbedded`) without header and footer. */
export function layout(context: PageContext, content: PageContent): HtmlMarkup {
  const { language, t, config, assets, base, isEmbedded } = context
  const name = context.configuredText(config.name)
  const main = html`<main id="content" tabindex="-1">${content.body}</main>`
  return html`<!doctype html> <html lang="${language}" dir="${directionOf(language)}"> <head>
    <meta charset="utf-8" />${isEmbedded && html`<base target="_top">`} <title>${content.title === '' ? name : `${content.title} – ${name}`}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content="${content.description ?? `${content.title || name}. ${t('home-lead')}`}" />
    ${content.record && html`<meta property="og:type" content="website" /><meta property="og:title" content="${content.title}" />`}
    ${content.isIndexed === false && html`<meta name="robots" content="noindex" />`}
    <link rel="stylesheet" href="${base}${assets.path('portal.css')}" />
    ${config.customStyle !== undefined && html`<link rel="stylesheet" href="${base}${config.customStyle}" />`}
    ${config.font === 'source-serif' && html`<link rel="preload" href="${base}${assets.path(mainFont)}" as="font" type="font/woff2" crossorigin />`}
    <link rel="icon" href="${base}${assets.path('favicon.svg')}" />
    ${canonicalLinks(context, content.canonical)}
    <script src="${base}${assets.path('portal.js')}" defer></script> ${content.head} ${
      content.data &&
      html`<script type="application/ld+json"> ${jsonScript(content.data)} </script>`
    } </head> <body>${
      isEmbedded
        ? main
        : html`<a class="skip" href="#content">${t('skip')}</a> ${header(context, content)} ${main} ${footer(context)}`
    }</body></html>`
}

/** Link elements with the canonical URL, the URLs in all languages of the portal, and that in the default language. */
function canonicalLinks({ root, language, config }: PageContext, path?: string): HtmlContent {
  if (path === undefined) return false
  const inLanguages = [
    ...config.languages.map((code) => [code, code] as const),
    ['x-default', config.defaultLanguage] as const,
  ]
  return html`<link rel="canonical" href="${root}${language}/${path}" />${inLanguages.map(
    ([code, pathLanguage]) =>
      html`<link rel="alternate" hreflang="${code}" href="${root}${pathLanguage}/${path}" />`,
  )}`
}

const defaultLogo = html`<svg viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="2.25" stroke-linecap="round" aria-hidden="true">
  <path d="M25.5 8.2A12 12 0 1 0 25.5 23.8" />
<path d="M12 12.5h9M12 16h12M12 19.5h7" stroke-width="2" /> </svg>`

const canSignIn = ({ signIn }: PageContext['config']) => signIn.key || signIn.oidc !== undefined

function header(context: PageContext, { section, query = '' }: PageContent): HtmlMarkup {
  const { t, config, base, steward, pathTo, configuredText } = context
  const logo =
    config.logo === undefined ? defaultLogo : html`<img src="${base}${config.logo}" alt="" />`
  return html`<header class="top"> <div>
    <a class="brand" href="${pathTo('')}">${logo}<span>${configuredText(config.name)}</span></a>
    ${query !== false && searchBar(context, query)} <div class="tools"> ${languageLinks(context)}
    <button type="button" data-theme-switch hidden aria-label="${t('switch-theme')}"> ${icon('sun-moon')}
    </button> ${
      steward
        ? html`<a href="${pathTo(steward.hasDesk ? 'desk' : 'harvest')}">${icon('file-text')} <span class="name">${t(steward.hasDesk ? 'desk' : 'steward-pages')}</span></a>`
        : canSignIn(config) &&
          html`<a href="${pathTo('sign-in')}" aria-label="${t('sign-in')}">${icon('log-in')}<span class="name">${t('sign-in')}</span></a>`
    } </div> ${mainMenu(context, section)} </div> </header>`
}

/** Search field; the big one of the home page has a placeholder with a hint and a text on its button. */
export function searchBar(context: PageContext, query: string, isBig = false): HtmlMarkup {
  const { t, pathTo } = context
  return html`<search>
    <form class="searchbar${isBig && ' big'}" action="${pathTo('datasets')}">
      <label class="vh" for="q">${t('search-datasets')}</label>
      <input type="search" id="q" name="q" value="${query}" autocomplete="off"
        placeholder="${t(isBig ? 'search-hint' : 'search-datasets')}"
        data-suggest="${pathTo('suggest')}" />
      <button class="button primary" aria-label="${t('search')}">
        ${icon('search')}${isBig && html`<span class="text">${t('search')}</span>`}</button>
    </form></search>`
}

/** Language → its name in itself; computed once, because a formatter of names costs more than the rest of a layout. */
const nativeNames = new Map<string, string | undefined>(
  interfaceLanguages.map((code) => [
    code,
    new Intl.DisplayNames(code, { type: 'language' }).of(code),
  ]),
)

/** Links to the page in all languages of the portal, each named in its own language; nothing where there is only one. */
function languageLinks({ language, t, config, root, pathInLanguage }: PageContext): HtmlContent {
  if (config.languages.length < 2) return false
  const links = config.languages.map((code) => {
    const current = code === language && html` aria-current="true"`
    return html`<a href="${root}${code}/${pathInLanguage}" lang="${code}" hreflang="${code}"${current}>
      <span class="vh">${nativeNames.get(code)} </span><span aria-hidden="true">${code.toUpperCase()}</span></a>`
  })
  return html`<nav class="languages" aria-label="${t('language')}">${links}</nav>`
}

/** Sections of the menu; the path of `data` is `datasets`. */
const menu = ['data', 'catalogues', 'quality', 'sparql', 'check'] as const

function mainMenu({ t, pathTo }: PageContext, current: Section | undefined): HtmlMarkup {
  const items = menu.map((section) => {
    const currentMark = section === current && html` aria-current="page"`
    const path = pathTo(section === 'data' ? 'datasets' : section)
    return html`<li><a href="${path}"${currentMark}>${t(`menu-${section}`)}</a></li>`
  })
  return html`<nav class="main-nav" aria-label="${t('menu')}"><ul role="list">${items}</ul></nav>`
}

type FooterLink = readonly [label: string, href: string]

const footerColumn = (title: string, links: readonly FooterLink[]): HtmlContent =>
  links.length > 0 &&
  html`<div><h2>${title}</h2><ul role="list">
    ${links.map(([label, href]) => html`<li><a href="${href}">${label}</a></li>`)}</ul></div>`

/** Footer: publishers, vocabularies and pages of the operator, configured links, then links for programs and publishers. */
function footer(context: PageContext): HtmlMarkup {
  const { t, base, config, language, steward, pathTo, configuredText } = context
  const pages = config.pages.filter((page) => (page.language ?? language) === language)
  const linkTo = (name: string): FooterLink => {
    const title = pages.find((page) => page.name === name)?.title ?? name
    return [title, pathTo('pages', name)]
  }
  const configured = config.footer.map(({ title, links }) => {
    const footerLinks = links.map((link): FooterLink =>
      'page' in link ? linkTo(link.page) : [configuredText(link.title), link.href],
    )
    return footerColumn(configuredText(title), footerLinks)
  })
  return html`<footer class="foot"><div>
    ${footerColumn(t('this-portal'), [
      [t('publishers'), pathTo('publishers')],
      [t('vocabularies'), pathTo('vocabularies')],
      ...pages.map(({ name }) => linkTo(name)),
    ])} ${configured}
    ${footerColumn(t('for-programs'), [
      [t('search-api'), `${base}api/hub/search/`],
      [t('repository-api'), `${base}api/hub/repo/`],
      ['SPARQL', pathTo('sparql')],
      ['Atom', `${base}api/hub/search/${language}/feeds/datasets.atom`],
    ])}
    ${footerColumn(t('for-publishers'), [
      [t('menu-check'), pathTo('check')],
      [t('how-quality'), pathTo('quality')],
      ...(steward || !canSignIn(config) ? [] : ([[t('sign-in'), pathTo('sign-in')]] as const)),
    ])}
    <p class="colophon"><span>${t('metadata-licence')}</span><span>${t('colophon')}</span></p></div></footer>`
}
