/**
 * Resources of all pages: style sheet, script, translations and the operator's theme. They are available before any service has
 * started.
 */

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PortalConfig } from '../config/portal.ts'
import { Failure } from '../errors.ts'
import type { AppContext } from '../http/app.ts'
import { anyone, pageEndpoint } from '../http/endpoint.ts'
import type { Log } from '../log.ts'
import { type Translations, translationsOf } from './translations.ts'
import { assetType, openTheme, type Theme } from './theme.ts'

/** Resources of all pages, as `openPageShell` returns them. */
export type PageShell = ReturnType<typeof openPageShell>

/**
 * Opens the resources of pages, once for a process: problem pages of other services use them too. `sendsQueries`: whether searches
 * send what is typed to an embedder.
 */
export const openPageShell = (config: PortalConfig, log: Log, sendsQueries = false) => ({
  config,
  log,
  sendsQueries,
  assets: openAssets(config),
  theme: openTheme(config, log),
  translations: translationCache(config),
})

/** Caches the translations of each language until the texts of the theme change. */
function translationCache({ timeZone }: PortalConfig) {
  let byLanguage = new Map<string, Translations>()
  let themeTexts: Theme['texts'] | undefined
  return (language: string, { texts }: Theme): Translations => {
    if (themeTexts !== texts) byLanguage = new Map()
    themeTexts = texts
    const cached = byLanguage.get(language)
    if (cached) return cached
    const translations = translationsOf(language, timeZone, texts[language])
    byLanguage.set(language, translations)
    return translations
  }
}

type Asset = { readonly type: string; readonly body: Uint8Array<ArrayBuffer> | string }

const require = createRequire(import.meta.url)
/** Text of a file of the folder `assets`. */
const readAsset = (name: string) => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8')

/** File of Source Serif that pages preload, where it is the configured font. */
export const mainFont = 'source-serif-4-latin-wght-normal.woff2'

/** Reads the files that pages load: style sheet, script, icon and fonts. */
function openAssets(config: PortalConfig) {
  const byName = new Map<string, string>()
  const byPath = new Map<string, Asset>()
  const add = (name: string, body: Asset['body']) => {
    const dot = name.lastIndexOf('.')
    const path = `assets/${name.slice(0, dot)}.${hash('sha256', body, 'hex').slice(0, 8)}${name.slice(dot)}`
    byName.set(name, path)
    byPath.set(path, { type: assetType(name) ?? 'application/octet-stream', body })
    return path
  }
  const faces = config.font === 'source-serif' ? fontFaces(add) : ''
  add('portal.css', `${faces}${readAsset('portal.css')}${colourRules(config)}`)
  add('desk.css', readAsset('desk.css'))
  for (const name of ['portal.js', 'desk.js']) add(name, readAsset(name))
  add('favicon.svg', readAsset('favicon.svg'))
  return {
    /** Path of an asset with the hash of its content: `assets/portal.1a2b3c4d.css`. */
    path: (name: string): string => byName.get(name) ?? `assets/${name}`,
    /** Asset at a path; `undefined` where there is none. */
    find: (path: string): Asset | undefined => byPath.get(path),
  }
}

/**
 * CSS rules of the configured colours: accent for light and dark mode, rubric for light mode. They override those of
 * `portal.css`, and the operator's style sheet overrides them.
 */
function colourRules({ colours: { accent, accentDark, rubric } }: PortalConfig): string {
  const ink = `--accent: light-dark(${accent ?? '#0d5c58'}, ${accentDark ?? '#7fcac2'});`
  const rules = [
    (accent ?? accentDark) && ink,
    rubric && `--rubric: light-dark(${rubric}, #f0a088);`,
  ]
  return `\n@layer custom { :root { ${rules.filter(Boolean).join(' ')} } }\n`
}

/**
 * CSS rules of Source Serif 4 (OFL-1.1); browsers load only the files of the alphabets that a page uses. A font that arrives late
 * is used from the next page on, so that the text does not move while it is read.
 */
function fontFaces(add: (name: string, body: Uint8Array<ArrayBuffer>) => string): string {
  const style = require.resolve('@fontsource-variable/source-serif-4/wght.css')
  const rules = readFileSync(style, 'utf8').replaceAll(
    'font-display: swap',
    'font-display: optional',
  )
  return rules.replaceAll(/\.\/files\/([^)]+)/g, (_, file: string) => {
    const path = add(file, readFileSync(join(dirname(style), 'files', file)))
    return path.slice(path.lastIndexOf('/') + 1)
  })
}

const immutableCaching = 'public, max-age=31536000, immutable'

/** Path of the platform's root as the client reaches it, with `/` at its end. */
export const rootPath = (c: AppContext) => new URL(c.get('root')).pathname

type FileServices = Pick<PageShell, 'assets' | 'theme' | 'config'>

const tag = 'files'

/** Failure for an unknown file. */
const noFile = () => new Failure('not-found', 'there is no such file')

/** Endpoints of the files that pages load; also mounted while the platform starts. */
export const assetEndpoints = [
  pageEndpoint<FileServices>({
    path: '/assets/:name',
    operation: 'getAsset',
    tag,
    summary: 'A file that comes with the portal',
    auth: anyone,
    example: '/assets/portal.css',
    page: (c, { assets }) => {
      const asset = assets.find(`assets/${c.req.param('name')}`)
      if (!asset) throw noFile()
      return c.body(asset.body, 200, {
        'Content-Type': asset.type,
        'Cache-Control': immutableCaching,
      })
    },
  }),
  pageEndpoint<FileServices>({
    path: '/theme/:tag/:name',
    operation: 'getThemeFile',
    tag,
    summary: "A file of the operator's folder",
    auth: anyone,
    example: '/theme/1a2b3c4d/logo.svg',
    page: async (c, { theme }) => {
      const file = await theme.file(c.req.param('name') ?? '')
      if (!file) throw noFile()
      const headers = { 'Content-Type': file.type, 'Cache-Control': 'public, max-age=300' }
      return c.body(file.body, 200, headers)
    },
  }),
  pageEndpoint<FileServices>({
    path: '/favicon.svg',
    operation: 'getIcon',
    tag,
    summary: 'The icon of the portal',
    auth: anyone,
    page: (c, { assets }) => c.redirect(rootPath(c) + assets.path('favicon.svg'), 302),
  }),
]

/**
 * Paths that crawlers may not request: further pages and values of searches, pages that fetch from other hosts, pages for
 * stewards, and the API.
 */
const disallowedPaths = [
  '/*?*page=',
  '/*/datasets/facets',
  '/*/preview',
  '/*/harvest',
  '/*/desk',
  '/*/invitation',
  '/api/',
]

/** Endpoints for crawlers: `robots.txt` and the sitemap. */
export const crawlerEndpoints = [
  pageEndpoint<FileServices>({
    path: '/robots.txt',
    operation: 'getRobots',
    tag,
    summary: 'The rules for crawlers',
    auth: anyone,
    page: (c) => {
      const lines = [
        'Allow: /api/hub/search/sitemap',
        ...disallowedPaths.map((path) => `Disallow: ${path}`),
      ]
      return c.text(`User-agent: *\n${lines.join('\n')}\nSitemap: ${c.get('root')}sitemap.xml\n`)
    },
  }),
  pageEndpoint<FileServices>({
    path: '/sitemap.xml',
    operation: 'getSitemap',
    tag,
    summary: 'Redirects to the sitemap',
    auth: anyone,
    page: (c, { config }) =>
      c.redirect(`${rootPath(c)}api/hub/search/sitemap?locale=${config.defaultLanguage}`, 302),
  }),
]
