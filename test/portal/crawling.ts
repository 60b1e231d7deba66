/** The sample catalogues as people and crawlers walk through them: every address that a page, the sitemap or a feed names is there. */

import { gzipSync } from 'node:zlib'
import { Parser } from 'htmlparser2'
import { expect, it } from 'vitest'

const html = { Accept: 'text/html' }

/** Addresses on this host that a page links, loads or shows. */
function linksOf(page: string, base: string): readonly string[] {
  const { origin } = new URL(base)
  const links: string[] = []
  new Parser({
    onopentag: (name, attributes) => {
      const link = attributes['href'] ?? attributes['src']
      if (link === undefined || name === 'base') return
      const url = new URL(link, base)
      url.hash = ''
      if (url.origin === origin) links.push(url.href)
    },
  }).end(page)
  return links
}

/** Bytes of a page on its way (gzip). */
const mostBytes = 30_000
const depth = 4

const found = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map((match) => (match[1] ?? '').replaceAll('&amp;', '&'))),
]

async function broken(addresses: readonly string[]): Promise<readonly string[]> {
  const failed: string[] = []
  for (const address of addresses) {
    const answer = await fetch(address, { headers: html })
    const isPage = (answer.headers.get('Content-Type') ?? '').startsWith('text/html')
    await answer.body?.cancel()
    if (!answer.ok || !isPage) failed.push(`${answer.status} ${address}`)
  }
  return failed
}

/** How far the tests go. */
type Extent = {
  /** Addresses that are asked, nearest to the home page first: facets of facets have no end. */
  readonly addresses: number
  readonly languages: 'every language' | 'one language after the other'
}

/** Tests over a running platform with the sample catalogues; `origin` is asked when they run. */
export function crawl(origin: () => string, extent: Extent): void {
  it('every link of every page is there, four clicks deep', async () => {
    const seen = new Set([`${origin()}/`])
    const broken: string[] = []
    let level = [...seen]
    for (let clicks = 0; clicks <= depth && level.length > 0; clicks += 1) {
      const next: string[] = []
      for (const address of level) {
        const answer = await fetch(address, { headers: html })
        const text = await answer.text()
        if (!answer.ok) broken.push(`${answer.status} ${address}`)
        if (!answer.headers.get('Content-Type')?.startsWith('text/html')) continue
        if (gzipSync(text).length > mostBytes) broken.push(`too large ${address}`)
        for (const link of linksOf(text, answer.url)) {
          if (seen.has(link) || seen.size >= extent.addresses) continue
          seen.add(link)
          next.push(link)
        }
      }
      level = next
    }
    expect(broken).toEqual([])
    expect(seen.size).toBeGreaterThanOrEqual(Math.min(extent.addresses, 500))
  }, 120_000)

  it(`every page of the sitemap is there, in ${extent.languages} of the portal`, async () => {
    const robots = await (await fetch(`${origin()}/robots.txt`)).text()
    const index = /^sitemap: (\S+)/im.exec(robots)?.[1] ?? ''
    const parts = found(await (await fetch(index)).text(), /<loc>([^<]*)</g)
    const texts = await Promise.all(parts.map(async (part) => (await fetch(part)).text()))
    const pages = found(texts.join('\n'), /<loc>([^<]*)</g)
    const alternates = found(texts.join('\n'), /hreflang="[a-z]+" href="([^"]*)"/g)
    expect(pages.length).toBeGreaterThan(20)
    expect(alternates).toHaveLength(4 * pages.length)
    const isEvery = extent.languages === 'every language'
    const asked = isEvery
      ? [...pages, ...alternates]
      : alternates.filter((_, at) => Math.floor(at / 4) % 4 === at % 4)
    expect(await broken(asked)).toEqual([])
  }, 60_000)

  it.each(['atom', 'rss'])(
    'every entry of the %s feed has a page in the language of the feed',
    async (kind) => {
      const feed = await fetch(`${origin()}/api/hub/search/fr/feeds/datasets.${kind}`)
      const text = await feed.text()
      const pages = found(
        text,
        kind === 'atom'
          ? /<link rel="alternate"[^>]*href="([^"]*\/datasets\/[^"]*)"/g
          : /<link>([^<]*\/datasets\/[^<]*)</g,
      )
      expect(pages.length).toBeGreaterThan(5)
      for (const page of pages) expect(page).toContain(`${origin()}/fr/datasets/`)
      expect(await broken(pages)).toEqual([])
    },
  )

  it('every dataset has what search engines require of a schema.org Dataset', async () => {
    const answer = await fetch(
      `${origin()}/api/hub/search/search?filters=dataset&limit=1000&includes=id`,
    )
    const { result } = (await answer.json()) as { result: { results: { id: string }[] } }
    const missing: string[] = []
    for (const { id } of result.results) {
      const address = `${origin()}/en/datasets/${encodeURIComponent(id)}.schema.jsonld`
      const { name, description } = (await (await fetch(address)).json()) as Record<string, unknown>
      const isLong = typeof description === 'string' && description.length >= 50
      if (typeof name !== 'string' || name === '' || !isLong) missing.push(id)
    }
    expect(result.results.length).toBeGreaterThan(20)
    expect(missing).toEqual([])
  })

  it.each(['text/html', 'text/turtle'])(
    'every IRI leads %s to what it asks for',
    async (accept) => {
      const list = await fetch(
        `${origin()}/api/hub/search/search?filters=dataset&limit=1000&includes=id,resource`,
      )
      const { result } = (await list.json()) as { result: { results: { resource: string }[] } }
      for (const { resource } of result.results) {
        const own = origin() + new URL(resource).pathname
        const answer = await fetch(own, { headers: { Accept: accept }, redirect: 'manual' })
        expect(answer.status).toBe(303)
        expect(answer.headers.get('Vary')).toContain('Accept')
        const page = await fetch(own, { headers: { Accept: accept } })
        expect(page.status).toBe(200)
        expect(page.headers.get('Content-Type')).toContain(accept)
        await page.body?.cancel()
      }
    },
  )
}
