/** Apache Jena Fuseki on TDB2: got by its Maven coordinates, started on loopback. */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  cache,
  foreign,
  freePort,
  Missing,
  runs,
  started,
  type Engine,
  type EngineConfig,
} from './engine.ts'

const version = '5.6.0'
const jarName = `jena-fuseki-server-${version}.jar`
const instead = 'or set FUSEKI_URL=http://host:3030/dataset to use a server that runs already'

/**
 * The server at `FUSEKI_URL` (`FUSEKI_USER`, `FUSEKI_PASSWORD`), else one of our own. Rejects with `Missing` when there is
 * neither an address nor Java.
 */
export async function startFuseki(): Promise<Engine> {
  const address = process.env['FUSEKI_URL']
  if (!address) return ownFuseki()
  const username = process.env['FUSEKI_USER']
  const password = process.env['FUSEKI_PASSWORD']
  return foreign(configOf(address, username && password ? { username, password } : undefined))
}

/** A new server with an empty database; `auth` says how it asks who enters, absent = everybody may. */
export async function ownFuseki(auth?: 'basic' | 'digest'): Promise<Engine> {
  const jar = fusekiJar()
  const port = await freePort()
  const credentials = auth && { username: 'cartulary', password: `tell: no "one" ${port}` }
  return started(
    configOf(`http://127.0.0.1:${port}/ds`, credentials || undefined),
    async (directory) => {
      const [passwords, database] = [join(directory, 'passwords'), join(directory, 'tdb2')]
      await mkdir(database)
      if (credentials)
        await writeFile(passwords, `${credentials.username}: ${credentials.password}\n`)
      const guard = auth ? ['--passwd', passwords, '--auth', auth] : []
      const place = ['--localhost', '--port', String(port), '--tdb2', '--loc', database]
      const rights = ['--update', '--timeout', '60000', '--ping', '--compact']
      return {
        file: 'java',
        arguments: ['-Xmx2g', '-jar', jar, ...place, ...rights, ...guard, '/ds'],
        directory,
        env: { FUSEKI_BASE: join(directory, 'base') },
        answersAt: `http://127.0.0.1:${port}/$/ping`,
        patienceMs: 120_000,
      }
    },
  )
}

function configOf(
  address: string,
  credentials: { username: string; password: string } | undefined,
): EngineConfig {
  return {
    dialect: 'fuseki',
    queryEndpoint: `${address}/query`,
    updateEndpoint: `${address}/update`,
    graphEndpoint: `${address}/data`,
    ...credentials,
  }
}

/** The jar: that of `FUSEKI_JAR`, the one in the cache, or a fresh copy by Maven. */
export function fusekiJar(): string {
  const given = process.env['FUSEKI_JAR']
  if (given) return given
  if (!runs('java', '-version')) throw new Missing(`Fuseki needs Java 17: install it, ${instead}`)
  const jar = join(cache(), jarName)
  if (existsSync(jar)) return jar
  if (!runs('mvn', '--version')) {
    throw new Missing(`Fuseki comes by Maven: install it, set FUSEKI_JAR, ${instead}`)
  }
  mkdirSync(cache(), { recursive: true })
  const fresh = mkdtempSync(join(cache(), 'fresh-'))
  try {
    const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy'
    const artifact = `-Dartifact=org.apache.jena:jena-fuseki-server:${version}`
    execFileSync('mvn', ['-q', '-B', plugin, artifact, `-DoutputDirectory=${fresh}`], {
      cwd: fresh,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    renameSync(join(fresh, jarName), jar)
  } catch (error) {
    throw new Missing(`Maven could not fetch ${jarName} (${String(error)}), ${instead}`)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return jar
}
