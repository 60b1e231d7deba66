/** The draft of a dataset for tests of forms, and forms sent as a browser without script sends them. */

import { toLine } from '../../../src/rdf/lines.ts'
import type { deskAlone } from './desk-alone.ts'

export const lakes = `dct:title "Lakes"@en , "Seen"@de ; dct:description "Weekly samples.\\nOf nine lakes."@en ;
  dcat:keyword "lake"@en , "See"@de ; dcat:theme <http://publications.europa.eu/resource/authority/data-theme/ENVI> ;
  dcat:contactPoint [ a vcard:Organization ; vcard:fn "Lake Office" ; vcard:hasEmail <mailto:data@lakes.example> ] ;
  dct:publisher [ a foaf:Agent ; foaf:name "Water Office" ] ; dct:issued "2026-05-04"^^xsd:date ;
  dct:spatial eu:country\\/DEU , [ a dct:Location ; dcat:bbox "POLYGON((8.31 47.91,8.74 47.91,8.74 48.12,8.31 48.12,8.31 47.91))"^^gsp:wktLiteral ] ;
  dcat:distribution <https://data.example/set/distribution/d1> ; <https://data.example/own> "kept" .
  <https://data.example/set/distribution/d1> a dcat:Distribution ; dct:title "All samples"@en ; dcat:accessURL <https://lakes.example/all.csv> ;
    dct:format <http://publications.europa.eu/resource/authority/file-type/CSV>`

export const path = (step: string) => `/en/desk/datasets/lakes/${step}?catalogue=water`

export type Desk = Awaited<ReturnType<typeof deskAlone>>

/** Controls of the first form that posts, as a browser without script sends them. */
export function controlsIn(html: string): URLSearchParams {
  const form =
    html.split('<form method="post"').find((part) => part.includes('do" value="next')) ?? ''
  const sent = new URLSearchParams()
  const decoded = (text = '') =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
  const pattern = /<input[^>]*>|<textarea[^>]*>[^]*?<\/textarea>|<select[^>]*>[^]*?<\/select>/g
  for (const [tag] of form.matchAll(pattern)) {
    const name = decoded(/ name="([^"]*)"/.exec(tag)?.[1])
    if (name === '' || (/type="(?:radio|checkbox)"/.test(tag) && !tag.includes(' checked')))
      continue
    const value = tag.startsWith('<textarea')
      ? />\n?([^]*)<\/textarea>/.exec(tag)?.[1]
      : tag.startsWith('<select')
        ? (/value="([^"]*)" selected/.exec(tag) ?? /<option value="([^"]*)"/.exec(tag))?.[1]
        : / value="([^"]*)"/.exec(tag)?.[1]
    sent.append(name, decoded(value).replaceAll(/\r?\n/g, '\r\n'))
  }
  return sent
}

export async function send(
  desk: Desk,
  step: string,
  pressed: string,
  values: Readonly<{ [name: string]: string }> = {},
) {
  const address = step.startsWith('/') ? step : path(step)
  const body = controlsIn(await desk.page(address))
  for (const [name, value] of Object.entries(values)) body.set(name, value)
  body.set('do', pressed)
  const answer = await desk.app.request(`http://localhost${address}`, {
    method: 'POST',
    headers: desk.headers,
    body,
  })
  return { status: answer.status, location: answer.headers.get('Location') ?? '' }
}

/** Functions that read and send forms of a desk, and its statements as lines. */
export function formsOf(deskOf: () => Desk) {
  /** The controls of a page, with some other values. */
  async function typed(address: string, values: Readonly<Record<string, string>>) {
    const body = controlsIn(await deskOf().page(address))
    for (const [name, value] of Object.entries(values)) body.set(name, value)
    return body
  }
  const nameOf = async (value: string, address = path('essentials')) =>
    new RegExp(`name="([^"]+)" value="${value}"`).exec(await deskOf().page(address))?.[1] ?? ''
  async function post(address: string, body: URLSearchParams, headers = deskOf().headers) {
    const init = { method: 'POST', headers, body }
    const answer = await deskOf().app.request(`http://localhost${address}`, init)
    const location = answer.headers.get('Location') ?? ''
    return { status: answer.status, location, html: await answer.text() }
  }
  const lines = () => deskOf().quads().map(toLine).join('\n')
  return { typed, nameOf, post, lines }
}

/** Sections of the form. */
export const steps = ['essentials', 'files', 'coverage', 'origin', 'rest']
