/** A feed in the Atom Syndication Format (RFC 4287). */

import type { FeedEntry } from './feed-entries.ts'
import type { Chosen } from '../record-values.ts'

export type Pages = {
  /** The feed whatever the page: what names it. */
  readonly feed: string
  readonly self: string
  readonly first: string
  readonly previous: string | undefined
  readonly next: string | undefined
  readonly last: string
}

export type FeedDocument = {
  readonly language: string
  readonly title: string
  readonly description: string
  /** Who answers for entries without an author. */
  readonly author: string
  /** Where people find the service. */
  readonly site: string
  readonly pages: Pages
  /** That of the newest entry; now where there is none. */
  readonly updated: Date
  readonly entries: readonly FeedEntry[]
}

export const atomType = 'application/atom+xml'

export function atomText(feed: FeedDocument): string {
  const { pages, language } = feed
  const link = (rel: string, href: string | undefined, type: string) =>
    href === undefined ? '' : element('link', { rel, href, type })
  const parts = [
    textElement('id', pages.feed),
    textElement('title', feed.title),
    textElement('updated', feed.updated.toISOString()),
    element('author', {}, textElement('name', feed.author)),
    link('self', pages.self, atomType),
    link('alternate', feed.site, 'text/html'),
    link('first', pages.first, atomType),
    link('previous', pages.previous, atomType),
    link('next', pages.next, atomType),
    link('last', pages.last, atomType),
    ...feed.entries.map((entry) => entryText(entry, language)),
  ]
  const attributes = { xmlns: 'http://www.w3.org/2005/Atom', 'xml:lang': language }
  return declaration + element('feed', attributes, parts.join(''))
}

function entryText(entry: FeedEntry, language: string): string {
  const { author } = entry
  const parts = [
    textElement('id', entry.iri),
    element('link', {
      rel: 'alternate',
      href: entry.page,
      type: entry.isHtml ? 'text/html' : undefined,
    }),
    spoken('title', entry.title, language),
    spoken('summary', entry.summary, language),
    textElement('published', entry.published?.toISOString()),
    textElement('updated', entry.updated.toISOString()),
    author === undefined
      ? ''
      : element(
          'author',
          {},
          textElement('name', author.name) +
            textElement('uri', author.uri) +
            textElement('email', author.email),
        ),
    ...entry.categories.map(({ term, label }) => element('category', { term, label })),
    ...entry.files.map(({ href, title, type, length }) =>
      element('link', { rel: 'enclosure', href, title, type, length }),
    ),
  ]
  return element('entry', {}, parts.join(''))
}

/** A text in a language other than the feed's says so. */
function spoken(name: string, chosen: Chosen | undefined, language: string): string {
  if (chosen === undefined) return ''
  const other = chosen.language === language ? undefined : chosen.language
  return element(name, { 'xml:lang': other }, xmlText(chosen.text))
}

// A feed in RSS 2.0.

export const rssType = 'application/rss+xml'

export function rssText(feed: FeedDocument): string {
  const { pages } = feed
  const link = (rel: string, href: string | undefined) =>
    href === undefined ? '' : element('atom:link', { rel, href, type: rssType })
  const parts = [
    textElement('title', feed.title),
    textElement('link', feed.site),
    textElement('description', feed.description),
    textElement('language', feed.language),
    textElement('lastBuildDate', feed.updated.toUTCString()),
    link('self', pages.self),
    link('next', pages.next),
    ...feed.entries.map(itemText),
  ]
  const attributes = { version: '2.0', 'xmlns:atom': 'http://www.w3.org/2005/Atom' }
  return declaration + element('rss', attributes, element('channel', {}, parts.join('')))
}

function itemText(entry: FeedEntry): string {
  const [file] = entry.files
  const parts = [
    element('guid', { isPermaLink: 'false' }, xmlText(entry.iri)),
    textElement('link', entry.page),
    textElement('title', entry.title.text),
    textElement('description', asHtml(entry.summary?.text)),
    textElement('pubDate', entry.updated.toUTCString()),
    ...entry.categories.map(({ term, label }) => textElement('category', label ?? term)),
    file === undefined ? '' : enclosure(file),
  ]
  return element('item', {}, parts.join(''))
}

/** Readers take a description for HTML: what looks like a tag there must stay text when they show it. */
const asHtml = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : xmlText(text)

/** All three attributes are mandatory; 0 stands for an unknown length. */
const enclosure = ({ href, type, length }: FeedEntry['files'][number]): string =>
  element('enclosure', {
    url: href,
    length: length ?? '0',
    type: type ?? 'application/octet-stream',
  })

// Writing XML 1.0: every text passes through here.

/** Absent attributes are left out. */
type Attributes = Readonly<Record<string, string | undefined>>

export const declaration = '<?xml version="1.0" encoding="utf-8"?>\n'

/** What XML 1.0 (2.2) has no place for, and the controls that it advises against. */
// oxlint-disable-next-line no-control-regex
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g

const special = /[&<>"']/g

const references: Readonly<Record<string, string>> = {
  '&': '&#x26;',
  '<': '&#x3C;',
  '>': '&#x3E;',
  '"': '&#x22;',
  "'": '&#x27;',
}

/** Character data or the value of an attribute. What XML cannot say is left out, halves of surrogate pairs are replaced. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replace(forbidden, '')
    .replace(special, (char) => references[char] ?? '')

/** An element with finished content; without any it is empty. */
export function element(name: string, attributes: Attributes, content?: string): string {
  const written = Object.entries(attributes)
    .flatMap(([key, value]) => (value === undefined ? [] : ` ${key}="${xmlText(value)}"`))
    .join('')
  return content === undefined ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`
}

/** An element with text; nothing where there is no text. */
export const textElement = (
  name: string,
  text: string | undefined,
  attributes: Attributes = {},
): string => (text === undefined ? '' : element(name, attributes, xmlText(text)))
