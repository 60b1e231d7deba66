/** Writes feeds as Atom (RFC 4287) and as RSS 2.0; writes the XML 1.0 of these and of the sitemap. */

/** Text with its language; `undefined` where that is unknown. */
type FeedText = { readonly text: string; readonly language?: string }

/** Entry of a feed; its texts are in the language of the feed where they exist in that. */
export type FeedEntry = {
  /** Permanent id of the entry. */
  readonly iri: string
  /** Address of the entry; `isHtml` where it is a page of the portal. */
  readonly page: string
  readonly isHtml: boolean
  readonly title: FeedText
  readonly summary?: FeedText
  readonly published?: Date
  readonly updated: Date
  readonly author?: Author
  readonly categories?: readonly { readonly term: string; readonly label: string | undefined }[]
  /** Enclosed files. */
  readonly files?: readonly FeedFile[]
}

type Author = { readonly name: string } & Readonly<Record<'uri' | 'email', string | undefined>>

/** File of an entry; `length` in bytes. */
export type FeedFile = { readonly href: string } & Readonly<
  Record<'title' | 'type' | 'length', string | undefined>
>

/** Addresses of a page of a feed and its neighbours (RFC 5005 3); `feed` is the id of the feed, equal on all pages. */
type FeedPages = Readonly<Record<'feed' | 'self' | 'first' | 'last', string>> &
  Partial<Readonly<Record<'previous' | 'next', string | undefined>>>

/** Feed with the entries of one page. */
export type FeedDocument = {
  readonly language: string
  readonly title: string
  readonly description: string
  /** Author of entries without an own one. */
  readonly author: string
  /** Address of the site that publishes the feed. */
  readonly site: string
  readonly pages: FeedPages
  /** Time of the newest entry; without entries one that the caller chooses. */
  readonly updated: Date
  readonly entries: readonly FeedEntry[]
}

/** Formats of feeds: media type, name, and the function that writes a feed. */
export const feedFormats = {
  atom: { type: 'application/atom+xml', name: 'an Atom feed (RFC 4287)', write: atomText },
  rss: { type: 'application/rss+xml', name: 'an RSS 2.0 feed', write: rssText },
} as const

function atomText({ pages, language, ...feed }: FeedDocument): string {
  const link = (rel: string, href: string | undefined, type = feedFormats.atom.type as string) =>
    href === undefined ? '' : element('link', { rel, href, type })
  const parts = [
    textElement('id', pages.feed),
    textElement('title', feed.title),
    textElement('updated', feed.updated.toISOString()),
    element('author', {}, textElement('name', feed.author)),
    link('self', pages.self),
    link('alternate', feed.site, 'text/html'),
    link('first', pages.first),
    link('previous', pages.previous),
    link('next', pages.next),
    link('last', pages.last),
    ...feed.entries.map((entry) => atomEntry(entry, language)),
  ]
  const attributes = { xmlns: 'http://www.w3.org/2005/Atom', 'xml:lang': language }
  return xmlDeclaration + element('feed', attributes, parts.join(''))
}

function atomEntry({ author, ...entry }: FeedEntry, language: string): string {
  const type = entry.isHtml ? 'text/html' : undefined
  // A text in another language than the feed has an attribute `xml:lang`.
  const textWithLanguage = (name: string, { text, language: textLanguage }: FeedText) =>
    element(
      name,
      { 'xml:lang': textLanguage === language ? undefined : textLanguage },
      xmlText(text),
    )
  const parts = [
    textElement('id', entry.iri),
    element('link', { rel: 'alternate', href: entry.page, type }),
    textWithLanguage('title', entry.title),
    entry.summary ? textWithLanguage('summary', entry.summary) : '',
    textElement('published', entry.published?.toISOString()),
    textElement('updated', entry.updated.toISOString()),
    author
      ? element(
          'author',
          {},
          textElement('name', author.name) +
            textElement('uri', author.uri) +
            textElement('email', author.email),
        )
      : '',
    ...(entry.categories ?? []).map(({ term, label }) => element('category', { term, label })),
    ...(entry.files ?? []).map(({ href, title, type, length }) =>
      element('link', { rel: 'enclosure', href, title, type, length }),
    ),
  ]
  return element('entry', {}, parts.join(''))
}

function rssText(feed: FeedDocument): string {
  const link = (rel: string, href: string | undefined) =>
    href === undefined ? '' : element('atom:link', { rel, href, type: feedFormats.rss.type })
  const parts = [
    textElement('title', feed.title),
    textElement('link', feed.site),
    textElement('description', feed.description),
    textElement('language', feed.language),
    textElement('lastBuildDate', feed.updated.toUTCString()),
    link('self', feed.pages.self),
    link('next', feed.pages.next),
    ...feed.entries.map(rssItem),
  ]
  const attributes = { version: '2.0', 'xmlns:atom': 'http://www.w3.org/2005/Atom' }
  return xmlDeclaration + element('rss', attributes, element('channel', {}, parts.join('')))
}

function rssItem({ summary, files: [file] = [], ...entry }: FeedEntry): string {
  // All three attributes are mandatory; 0 means an unknown length.
  const enclosure = file && {
    url: file.href,
    length: file.length ?? '0',
    type: file.type ?? 'application/octet-stream',
  }
  const parts = [
    element('guid', { isPermaLink: 'false' }, xmlText(entry.iri)),
    textElement('link', entry.page),
    textElement('title', entry.title.text),
    // Feed readers parse a description as HTML, so its text is escaped twice.
    textElement('description', summary && xmlText(summary.text)),
    textElement('pubDate', entry.updated.toUTCString()),
    ...(entry.categories ?? []).map(({ term, label }) => textElement('category', label ?? term)),
    enclosure ? element('enclosure', enclosure) : '',
  ]
  return element('item', {}, parts.join(''))
}

// XML 1.0.

/** Attributes by name; `undefined` ones are left out. */
type Attributes = Readonly<Record<string, string | undefined>>

/** XML declaration at the start of every document. */
export const xmlDeclaration = '<?xml version="1.0" encoding="utf-8"?>\n'

/** Characters that XML 1.0 (2.2) excludes, and the control characters that it advises against. */
// oxlint-disable-next-line no-control-regex
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g

/**
 * Escapes a text for character data and values of attributes. The characters of `forbidden` are removed, unpaired surrogates
 * replaced.
 */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replace(forbidden, '')
    .replace(/[&<>"']/g, (char) => `&#x${char.charCodeAt(0).toString(16).toUpperCase()};`)

/** Element with content that is XML already, which is not escaped; an empty element without content. */
export function element(name: string, attributes: Attributes, content?: string): string {
  const attributeText = Object.entries(attributes)
    .flatMap(([key, value]) => (value === undefined ? [] : ` ${key}="${xmlText(value)}"`))
    .join('')
  return content === undefined
    ? `<${name}${attributeText}/>`
    : `<${name}${attributeText}>${content}</${name}>`
}

/** Element with a text; empty where the text is `undefined`. */
export const textElement = (name: string, text: string | undefined): string =>
  text === undefined ? '' : element(name, {}, xmlText(text))
