/** Addresses: trimmed, repaired, made absolute, and without credentials. */

import type { NamedNode } from '@rdfjs/types'
import type { Finding } from '../../pipe/message.ts'
import { isIri, maxIriBytes, repairIri } from '../../rdf/iri.ts'
import { prefixes } from '../../rdf/namespaces.ts'
import { saidText } from '../../vocabularies/loose-values.ts'

type Notes = {
  readonly note: (slug: Finding['slug'], detail: string) => void
  readonly options: { readonly base: string }
}

/** Whether a value is an IRI that every store keeps. */
export const isUsableIri = (value: unknown): value is string =>
  typeof value === 'string' && isIri(value) && Buffer.byteLength(value) <= maxIriBytes

/** Parameters that carry credentials. */
const secret =
  /^(?:auth_key|api_?key|access_token|token|x-app-token|%24%24app_token|\$\$app_token)$/i

/**
 * An address with `http`, `https` or `ftp`; `undefined` (with a finding `dropped-url`) for everything else that is not
 * blank. `where` names the place in findings.
 */
export function webAddress(value: unknown, notes: Notes, where: string): string | undefined {
  const text = saidText(value)
  if (text === undefined) return undefined
  const absolute = resolved(text, notes.options.base)
  const clean = absolute === undefined ? undefined : withoutSecrets(absolute)
  if (clean === undefined || !isWebAddress(clean.url)) {
    notes.note('dropped-url', `${where}: ${shownText(text)}`)
    return undefined
  }
  if (clean.hadSecret) notes.note('secret-removed', `${where}: ${shownText(clean.url)}`)
  else if (clean.url !== text && !isRelative(text))
    notes.note('repaired-iri', `${where}: ${shownText(clean.url)}`)
  return clean.url
}

/** Bad addresses may hold credentials in places that nobody expects. */
const shownText = (text: string) =>
  text
    .replace(/\/\/[^/?#\s]*@/, '//')
    .replace(/([?&;][^=&;]*(?:key|token|secret|pass)[^=&;]*=)[^&;#\s]*/gi, '$1•••')

const isRelative = (text: string) => /^(?:\/|\.{1,2}\/|\?)/.test(text)

function resolved(text: string, base: string): string | undefined {
  const repaired = repairIri(text)
  if (!isRelative(repaired)) return repaired
  return URL.canParse(repaired, base) ? new URL(repaired, base).href : undefined
}

const isWebAddress = (url: string) =>
  /^(?:https?|ftp):\/\/[^/?#]/i.test(url) && isUsableIri(url) && URL.canParse(url)

function withoutSecrets(url: string): { readonly url: string; readonly hadSecret: boolean } {
  const bare = url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
  const [, path = '', query, rest = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(bare) ?? []
  if (query === undefined) return { url: bare, hadSecret: bare !== url }
  const kept = query.split('&').filter((pair) => !secret.test(pair.split('=', 1)[0] ?? ''))
  const left = kept.join('&')
  const clean = left === query ? bare : `${path}${left === '' ? '' : `?${left}`}${rest}`
  return { url: clean, hadSecret: clean !== url }
}

/** `mailto:` or `tel:`; `undefined` (with a finding) for what is no such address. */
export function contactAddress(
  value: unknown,
  kind: 'mail' | 'telephone',
  notes: Notes,
  where: string,
): string | undefined {
  const text = saidText(value)
  if (text === undefined) return undefined
  const address = kind === 'mail' ? mailAddress(text) : telephone(text)
  if (address === undefined) notes.note('dropped-url', `${where}: ${text}`)
  return address
}

function mailAddress(text: string): string | undefined {
  const bare = text.replace(/^mailto:\s*/i, '')
  if (bare.length > 320 || !/^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/.test(bare)) return undefined
  const iri = `mailto:${repairIri(bare)}`
  return isIri(iri) ? iri : undefined
}

function telephone(text: string): string | undefined {
  const digits = text.replace(/^tel:/i, '').replaceAll(/[\s()./-]/g, '')
  return /^\+?\d{3,20}$/.test(digits) ? `tel:${digits}` : undefined
}

// Terms as a reader of reports knows them, and the terms of vocabularies that only mappings write.

/** `dct:title` for a term of a known namespace, else its IRI. */
export function nameOf({ value }: NamedNode): string {
  const found = Object.entries(prefixes).find(([, namespace]) => value.startsWith(namespace))
  return found ? `${found[0]}:${value.slice(found[1].length)}` : value
}
