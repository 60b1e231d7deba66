/** OpenSearch: nodes of one release, got by Maven outside of the checkout and started on loopback, without its security plugin. */

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cache, freePort, Missing, type OwnServer, ownServer, runs, type Server } from './engine.ts'

const version = '2.19.1'
const instead = 'or set OPENSEARCH_URL=http://host:9200 to use a server that runs already'
const recipe = fileURLToPath(new URL('opensearch/', import.meta.url))

/** Nodes of one cluster, each of which can be killed and started again. */
export type SearchCluster = {
  readonly urls: readonly string[]
  readonly nodes: readonly OwnServer[]
  readonly stop: () => Promise<void>
}

/** Heap of the JVM of a node; `OPENSEARCH_HEAP` replaces it for a bench of many records. */
const heap = process.env['OPENSEARCH_HEAP'] ?? '512m'

/** A node of a test lives for minutes: half of its processor time would go into optimised code. Those of a bench have the usual options. */
const briefly =
  process.env['OPENSEARCH_HEAP'] === undefined
    ? ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']
    : []

/**
 * The server at `OPENSEARCH_URL` (several addresses are separated by commas), else nodes of our own: one, or `OPENSEARCH_NODES`. Rejects
 * with `Missing` when there is neither an address nor Java.
 */
export async function startOpensearch(): Promise<Server & { readonly urls: readonly string[] }> {
  const given = process.env['OPENSEARCH_URL']
  if (given) {
    const urls = given.split(',').map((url) => url.trim().replace(/\/+$/, ''))
    const refuse = () => Promise.reject(new Error('this server is not ours to stop'))
    return { urls, killable: false, kill: refuse, restart: refuse, stop: () => Promise.resolve() }
  }
  const { urls, nodes, stop } = await ownOpensearch(Number(process.env['OPENSEARCH_NODES'] ?? 1))
  const [node] = nodes
  if (!node) throw new Error('no node was started')
  return { ...node, urls, stop }
}

/** A new cluster without any index, of one node or of several; resolves when all have joined. */
export async function ownOpensearch(size = 1): Promise<SearchCluster> {
  const program = opensearchProgram()
  const ports: number[] = []
  while (ports.length < 2 * size) ports.push(await freePort())
  const [http, transport] = [ports.slice(0, size), ports.slice(size)]
  const urls = http.map((port) => `http://127.0.0.1:${port}`)
  const started = await Promise.allSettled(
    urls.map((url, number) =>
      ownServer('opensearch', async (directory) => ({
        file: 'java',
        arguments: [
          ...briefly,
          `-Xms${heap}`,
          `-Xmx${heap}`,
          '-cp',
          `${program}/classes:${program}/lib/*`,
          'Nodes',
          directory,
          String(number),
          http.join(),
          transport.join(),
        ],
        directory,
        answersAt: url,
        patienceMs: 400_000,
      })),
    ),
  )
  const nodes = started.flatMap((node) => (node.status === 'fulfilled' ? [node.value] : []))
  const stop = async () => {
    for (const node of nodes) await node.stop()
  }
  try {
    for (const node of started) if (node.status === 'rejected') throw node.reason
    const all = `wait_for_nodes=${size}&timeout=120s`
    const health = await fetch(`${urls[0]}/_cluster/health?${all}`)
    if (!health.ok) throw new Error(`the nodes have not met: ${await health.text()}`)
  } catch (error) {
    await stop()
    throw error
  }
  return { urls, nodes, stop }
}

/** Directory with the libraries of the server and our class: that in the cache, or a fresh one by Maven. */
function opensearchProgram(): string {
  if (!runs('javac', '-version'))
    throw new Missing(`OpenSearch needs a JDK 17: install it, ${instead}`)
  const program = join(cache(), `opensearch-${version}`)
  if (existsSync(program)) return program
  if (!runs('mvn', '--version'))
    throw new Missing(`OpenSearch comes by Maven: install it, ${instead}`)
  mkdirSync(cache(), { recursive: true })
  const fresh = mkdtempSync(join(cache(), 'fresh-'))
  const run = (file: string, ...words: string[]) =>
    execFileSync(file, words, { cwd: fresh, stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    for (const file of ['pom.xml', 'Nodes.java']) copyFileSync(recipe + file, join(fresh, file))
    const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies'
    run('mvn', '-q', '-B', plugin, '-DoutputDirectory=lib')
    run('javac', '-cp', 'lib/*', '-d', 'classes', 'Nodes.java')
    renameSync(fresh, program)
  } catch (error) {
    throw new Missing(`Maven could not fetch OpenSearch ${version} (${String(error)}), ${instead}`)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return program
}
