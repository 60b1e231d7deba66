/** A page: what it is made from, and the frame around its content. */

import type { PortalConfig } from '../config/portal.ts'
import type { Action } from '../http/api-key.ts'
import type { Log } from '../log.ts'
import { pagePath, searchPath, type SearchQuery } from './addresses.ts'
import type { Assets } from './assets.ts'
import { html, icon, jsonScript, type HtmlContent, type HtmlMarkup } from './html.ts'
import { directionOf, type Formats, type Translate } from './languages.ts'
import type { Ports } from './ports.ts'
import type { Theme } from './theme.ts'

/** What every page is made from. */
export type PageContext = {
  readonly language: string
  readonly t: Translate
  readonly formats: Formats
  readonly config: Omit<PortalConfig, 'logo'> & Omit<Theme, 'texts'>
  readonly assets: Assets
  readonly ports: Ports
  readonly log: Log
  /** Where clients reach the platform, `/` at its end. */
  readonly root: string
  /** Path of this page behind its language, with its query: `datasets?q=water`. */
  readonly place: string
  readonly signal: AbortSignal
  readonly requestId: string
  /** Who is signed in; absent for strangers. */
  readonly steward?: Steward | undefined
}

type Steward = {
  /** Of the forms of the session. */
  readonly token: string
  readonly may: (action: Action) => boolean
}

type Section = 'data' | 'catalogues' | 'quality' | 'sparql' | 'check' | 'harvest'

/** Of pages that were made as they were asked for, and of those that say why somebody is not signed in. */
export type PageStatus = 200 | 400 | 401 | 403 | 429 | 503

export type PageContent = {
  /** Of the window, without the name of the portal. */
  readonly title: string
  /** Where in the menu the page belongs. */
  readonly section?: Section
  /** At most 155 characters, for search engines. */
  readonly description?: string
  readonly isIndexed?: boolean
  /** Path of the page behind its language, for search engines: `datasets/{id}`. */
  readonly canonical?: string
  /** Further elements of the head. */
  readonly head?: HtmlContent
  /** schema.org, as JSON-LD. */
  readonly data?: object | undefined
  readonly body: HtmlContent
  /** What stands in the search field of the header; `false` leaves the field out. */
  readonly query?: string | false
}

/** Path of a page in the language of this one. */
export const pathTo = ({ language, root }: PageContext, ...steps: readonly string[]): string =>
  new URL(root).pathname + pagePath(language, ...steps)

/** Path of a search in the language of this page. */
export const searchTo = (
  { language, root }: PageContext,
  query: SearchQuery,
  more?: Parameters<typeof searchPath>[2],
): string => new URL(root).pathname + searchPath(language, query, more)

/** Names and texts of the configuration in the language of the page. */
export const configuredText = (
  { language, config }: Pick<PageContext, 'language' | 'config'>,
  texts: string | Readonly<Record<string, string>> | undefined,
): string =>
  typeof texts === 'string'
    ? texts
    : (texts?.[language] ?? texts?.[config.defaultLanguage] ?? Object.values(texts ?? {})[0] ?? '')

/** The whole document. */
export function frame(context: PageContext, content: PageContent): HtmlMarkup {
  const { language, t, config, assets, root } = context
  const name = configuredText(context, config.name)
  const base = new URL(root).pathname
  return html`<!doctype html> <html lang="${language}" dir="${directionOf(language)}"> <head>
    <meta charset="utf-8" /> <title>${content.title === '' ? name : `${content.title} – ${name}`}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    ${content.description !== undefined && html`<meta name="description" content="${content.description}" />`}
    ${content.isIndexed === false && html`<meta name="robots" content="noindex" />`}
    <link rel="stylesheet" href="${base}${assets.path('portal.css')}" />
    ${config.customStyle !== undefined && html`<link rel="stylesheet" href="${base}${config.customStyle}" />`}
    <link rel="icon" href="${base}${assets.path('favicon.svg')}" />
    ${canonicalLinks(context, content.canonical)} ${content.head}
    <script src="${base}${assets.path('portal.js')}" defer></script> ${
      content.data &&
      html`<script type="application/ld+json"> ${jsonScript(content.data)} </script>`
    } </head> <body> <a class="skip" href="#content">${t('skip')}</a> ${header(context, content)} <main id="content" tabindex="-1">${content.body}</main> ${footer(context)} </body> </html> `
}

/** The address that counts, and the same page in the other languages. */
function canonicalLinks(
  { root, language, config }: PageContext,
  path: string | undefined,
): HtmlContent {
  if (path === undefined) return false
  const inLanguages = [
    ...config.languages.map((one) => [one, one] as const),
    ['x-default', config.defaultLanguage] as const,
  ]
  return html`<link rel="canonical" href="${root}${language}/${path}" />${inLanguages.map(
    ([code, one]) => html`<link rel="alternate" hreflang="${code}" href="${root}${one}/${path}" />`,
  )}`
}

const mark = html`<svg viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="2.25" stroke-linecap="round" aria-hidden="true">
  <path d="M25.5 8.2A12 12 0 1 0 25.5 23.8" />
<path d="M12 12.5h9M12 16h12M12 19.5h7" stroke-width="2" /> </svg>`

function header(context: PageContext, { section, query = '' }: PageContent): HtmlMarkup {
  const { t, config, root, steward } = context
  const logo = config.logo
  const base = new URL(root).pathname
  return html`<header class="top"> <div>
    <a class="brand" href="${pathTo(context, '')}">${logo === undefined ? mark : html`<img src="${base}${logo}" alt="" />`}<span>${configuredText(context, config.name)}</span></a>
    ${query !== false && searchBar(context, query)} <div class="tools"> ${languageLinks(context)}
    <button type="button" data-theme-switch hidden aria-label="${t('switch-theme')}"> ${icon('sun-moon')}
    </button> ${
      steward
        ? html`<a href="${pathTo(context, 'harvest')}">${icon('file-text')}
        <span class="name">${t('steward-pages')}</span></a>`
        : config.signIn &&
          html`<a href="${pathTo(context, 'sign-in')}" aria-label="${t('sign-in')}">${icon('log-in')}<span class="name">${t('sign-in')}</span></a>`
    } </div> ${mainMenu(context, section)} </div> </header>`
}

/** The search field; the big one of the home page has a hint in it and a word on its button. */
export function searchBar(context: PageContext, query: string, isBig = false): HtmlMarkup {
  const { t } = context
  return html`<search>
    <form class="searchbar${isBig && ' big'}" action="${pathTo(context, 'datasets')}">
      <label class="vh" for="q">${t('search-datasets')}</label>
      <input type="search" id="q" name="q" value="${query}" autocomplete="off"
        placeholder="${t(isBig ? 'search-hint' : 'search-datasets')}"
        data-suggest="${pathTo(context, 'suggest')}" data-titles="${t('datasets-title')}"
        data-themes="${t('themes')}" data-publishers="${t('publishers')}" />
      <button class="button primary" aria-label="${t('search')}">
        ${icon('search')}${isBig && html`<span class="text">${t('search')}</span>`}</button>
    </form></search>`
}

const ownNames = new Map<string, string>()

/** The name of a language in itself; to make the formatter of one costs more than the rest of a frame. */
function ownName(language: string): string {
  const name =
    ownNames.get(language) ??
    new Intl.DisplayNames(language, { type: 'language' }).of(language) ??
    language
  ownNames.set(language, name)
  return name
}

/** The same page in the other languages, each named in its own. */
function languageLinks({ language, t, config, root, place }: PageContext): HtmlContent {
  if (config.languages.length < 2) return false
  const links = config.languages.map((one) => {
    return html`<a href="${root}${one}/${place}" lang="${one}" hreflang="${one}" ${one === language && html` aria-current="true"`} ><span class="vh">${ownName(one)}
      </span><span aria-hidden="true">${one.toUpperCase()}</span></a>`
  })
  return html`<nav class="languages" aria-label="${t('language')}">${links}</nav>`
}

function mainMenu(context: PageContext, current: Section | undefined): HtmlMarkup {
  const { t } = context
  const entries: readonly (readonly [Section, string, string])[] = [
    ['data', 'datasets', t('menu-data')],
    ['catalogues', 'catalogues', t('menu-catalogues')],
    ['quality', 'quality', t('menu-quality')],
    ['sparql', 'sparql', t('menu-sparql')],
    ['check', 'check', t('menu-check')],
  ]
  const items = entries.map(
    ([section, step, label]) =>
      html`<li> <a href="${pathTo(context, step)}" ${section === current && html` aria-current="page"`} >${label}</a>
        </li>`,
  )
  return html`<nav class="main-nav" aria-label="${t('menu')}"> <ul role="list"> ${items} </ul> </nav>`
}

function footer(context: PageContext): HtmlMarkup {
  const { t, root, config, language, steward } = context
  const base = new URL(root).pathname
  const column = (title: string, links: readonly (readonly [string, string])[]) =>
    html`<div> <h2>${title}</h2> <ul role="list">
      ${links.map(([label, href]) => html`<li><a href="${href}">${label}</a></li>`)} </ul> </div>`
  const pages = config.pages
    .filter((page) => page.language === language || page.language === undefined)
    .map((page) => [page.title, pathTo(context, 'pages', page.name)] as const)
  return html`<footer class="foot"> <div> ${pages.length > 0 && column(t('this-portal'), pages)} ${config.footer.map(
    ({ title, links }) =>
      column(
        configuredText(context, title),
        links.map((link) => [configuredText(context, link.title), link.href] as const),
      ),
  )} ${column(t('for-programs'), [
    [t('search-api'), `${base}api/hub/search/`],
    [t('repository-api'), `${base}api/hub/repo/`],
    ['SPARQL', pathTo(context, 'sparql')],
    ['Atom', `${base}api/hub/search/${language}/feeds/datasets.atom`],
  ])} ${column(t('for-publishers'), [
    [t('menu-check'), pathTo(context, 'check')],
    [t('how-quality'), pathTo(context, 'quality')],
    ...(config.signIn && !steward ? [[t('sign-in'), pathTo(context, 'sign-in')] as const] : []),
  ])} <p class="colophon"><span>${t('metadata-licence')}</span><span>${t('colophon')}</span></p> </div> </footer>`
}

/** Steps above the page. */
export const crumbs = (
  { t }: PageContext,
  steps: readonly { readonly href: string; readonly label: HtmlContent }[],
): HtmlMarkup =>
  html`<nav class="crumbs" aria-label="${t('breadcrumb')}"> <ol role="list">
    ${steps.map(({ href, label }) => html`<li><a href="${href}">${label}</a></li>`)} </ol> </nav>`

/** A part of the column beside the content. */
export const panel = (heading: string, body: HtmlContent): HtmlMarkup =>
  html`<div class="panel"><h2>${heading}</h2> ${body}</div>`

/** A section whose heading has a link beside it. */
export const linkedSection = (
  id: string,
  heading: HtmlContent,
  [href, label]: readonly [href: string, label: string],
  body: HtmlContent,
): HtmlMarkup => html`<section class="section" aria-labelledby="${id}">
    <div class="section-head"><h2 id="${id}">${heading}</h2> <a href="${href}">${label}</a></div> ${body}</section>`

/** A section with its heading. */
export const pageSection = (id: string, heading: HtmlContent, body: HtmlContent): HtmlMarkup =>
  html`<section class="section" aria-labelledby="${id}"> <h2 id="${id}">${heading}</h2> ${body} </section>`
