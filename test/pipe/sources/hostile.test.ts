/** Repositories and servers that mean harm: nothing runs, nothing leaves its place, nothing is said aloud. */

import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkout } from '../../../src/pipe/sources/git-checkout.ts'
import type { GitContext, GitLimits } from '../../../src/pipe/sources/git-command.ts'
import { harvestOf } from '../pipes.ts'
import { folder, timeoutSignal, sourcesFixture } from './sources-fixture.ts'
import { git, repository } from './repository.ts'

const fixture = (root: string, limits: Partial<GitLimits> = {}): GitContext => ({
  scratch: join(root, 'scratch'),
  limits,
})
const target = (root: string) => ({
  directory: join(root, 'out'),
  isSelected: () => true,
  fileBytes: 1000,
})
const leftovers = (root: string) =>
  readdirSync(join(root, 'scratch')).filter((name) => name !== 'git-home')

describe('[T6] addresses', () => {
  it.each([
    'ext::sh -c touch% {canary}',
    'ext::touch',
    '--upload-pack=touch {canary}',
    '-u',
    'git://127.0.0.1/x',
    'fd::3',
    'https://user:secret@127.0.0.1/x',
    '',
  ])('%s is refused before git hears of it', async (uri) => {
    const root = folder()
    const canary = join(root, 'canary')
    const told = { uri: uri.replace('{canary}', canary) }
    await expect(
      checkout(told, target(root), fixture(root), timeoutSignal()),
    ).rejects.toMatchObject({
      kind: 'address-refused',
    })
    expect([existsSync(canary), existsSync(join(root, 'scratch'))]).toEqual([false, false])
  })

  it('a transport that the caller does not allow is refused by git itself', async () => {
    const root = folder()
    const remote = await repository(root)
    await remote.commit({ 'a.json': harvestOf('city') })
    const only = { ...fixture(root), transports: ['https', 'ssh'] }
    await expect(
      checkout({ uri: remote.uri }, target(root), only, timeoutSignal()),
    ).rejects.toMatchObject({
      kind: 'address-refused',
    })
  })

  it('a branch that is an option or a pattern is refused', async () => {
    const root = folder()
    for (const branch of ['--upload-pack=id', 'a:b', '*']) {
      const told = { uri: root, branch }
      await expect(
        checkout(told, target(root), fixture(root), timeoutSignal()),
      ).rejects.toMatchObject({
        kind: 'invalid-parameter',
      })
    }
  })
})

describe('[T6] contents', () => {
  it('links and submodules are not followed, hooks, filters and attributes do not run', async () => {
    const root = folder()
    const canary = join(root, 'canary')
    const other = await repository(root, 'other')
    await other.commit({ 'inner.json': harvestOf('inner') })
    const remote = await repository(root)
    await writeFile(join(root, 'secret.json'), JSON.stringify(harvestOf('secret')))
    symlinkSync(join(root, 'secret.json'), join(remote.work, 'stolen.json'))
    symlinkSync(root, join(remote.work, 'up'))
    git(remote.work, 'submodule', 'add', '-q', other.uri, 'module')
    for (const place of [join(remote.uri, 'hooks'), join(remote.work, 'hooks')]) {
      await mkdir(place, { recursive: true })
      for (const hook of ['post-checkout', 'reference-transaction', 'post-upload-pack']) {
        await writeFile(join(place, hook), `#!/bin/sh\ntouch ${canary}\n`)
        chmodSync(join(place, hook), 0o755)
      }
    }
    await remote.commit({
      'city.json': harvestOf('city'),
      '.gitattributes': '*.json filter=evil export-subst\n',
      'hooks/.keep': '',
    })
    git(remote.uri, 'config', 'filter.evil.smudge', `touch ${canary}`)
    git(remote.uri, 'config', 'uploadpack.packObjectsHook', `touch ${canary};`)
    await rm(canary, { force: true })
    const sources = await sourcesFixture(root, { pipeRepositories: { evil: { uri: remote.uri } } })
    await sources.reload(timeoutSignal())
    expect(sources.names()).toEqual(['city'])
    expect(sources.invalid()).toEqual([])
    expect(existsSync(canary)).toBe(false)
    const { directory } = sources.list()[0] ?? { directory: '' }
    expect(readdirSync(directory)).toEqual(['city.json'])
  })

  it('a path that leads out of its directory is left out', async () => {
    const root = folder()
    const remote = await repository(root)
    await remote.commit({ 'a.json': harvestOf('city') })
    const blob = git(remote.work, 'rev-parse', 'HEAD:a.json').trim()
    // Git refuses to make such a tree, so it is written by hand.
    const tree = (name: string, mode: string, id: string) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])
    const write = async (content: Buffer) => {
      await writeFile(join(root, 'tree'), content)
      return git(
        remote.work,
        'hash-object',
        '-t',
        'tree',
        '-w',
        '--literally',
        join(root, 'tree'),
      ).trim()
    }
    const inner = await write(tree('out.json', '100644', blob))
    const outer = await write(
      Buffer.concat([
        tree('..', '40000', inner),
        tree('.git', '40000', inner),
        tree('b.json', '100644', blob),
      ]),
    )
    const commit = git(remote.work, 'commit-tree', '-m', 'evil', outer).trim()
    git(remote.work, 'push', '-q', '-f', 'origin', `${commit}:refs/heads/main`)
    const found = await checkout({ uri: remote.uri }, target(root), fixture(root), timeoutSignal())
    expect(readdirSync(found)).toEqual(['b.json'])
    expect(readdirSync(join(root, 'out'))).toHaveLength(1)
  })
})

describe('[T12] sizes and times', () => {
  it('a pack, a tree and a number of files over their limits are refused, and nothing stays behind', async () => {
    const root = folder()
    const remote = await repository(root)
    const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64')
    await remote.commit({
      'a.json': 'x'.repeat(900),
      'b.json': 'y'.repeat(900),
      'noise.txt': noise,
    })
    for (const limits of [{ packBytes: 8192 }, { treeBytes: 1000 }, { files: 2 }]) {
      const fetching = checkout(
        { uri: remote.uri },
        target(root),
        fixture(root, limits),
        timeoutSignal(),
      )
      await expect(fetching).rejects.toMatchObject({ kind: 'too-large' })
      expect([leftovers(root), existsSync(join(root, 'out'))]).toEqual([[], false])
    }
  })

  it('a file over its limit is listed as too large and carried by nobody', async () => {
    const root = folder()
    const remote = await repository(root)
    await remote.commit({ 'a.json': harvestOf('city'), 'b.json': `"${'x'.repeat(3000)}"` })
    const limits = { pipeBytes: 1000, segments: 32 }
    const more = { limits, git: { limits: { treeBytes: 2000 } } }
    const sources = await sourcesFixture(
      root,
      { pipeRepositories: { r: { uri: remote.uri } } },
      more,
    )
    await sources.reload(timeoutSignal())
    expect(sources.names()).toEqual(['city'])
    expect(sources.invalid()).toMatchObject([
      { file: 'b.json', problems: [{ detail: 'must be at most 1000 bytes (pipeBytes)' }] },
    ])
  })

  /** A server that takes requests and answers each by the function. */
  const server = async (answer: Parameters<typeof createServer>[1]) => {
    const listening = createServer({}, answer)
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      listening.closeAllConnections()
      listening.close()
    })
    return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/pipes.git`
  }

  it('a server that never answers ends in a time-out, and by the signal', async () => {
    const root = folder()
    const uri = await server(() => undefined)
    const slow = fixture(root, { commandMs: 300 })
    await expect(checkout({ uri }, target(root), slow, timeoutSignal())).rejects.toMatchObject({
      kind: 'source-timeout',
    })
    const why = new Error('stop')
    const cancelling = new AbortController()
    const waiting = checkout({ uri }, target(root), fixture(root), cancelling.signal)
    cancelling.abort(why)
    await expect(waiting).rejects.toBe(why)
  })

  it('[T7] the token goes to the server that asks for it, and into no file, line or argument', async () => {
    const root = folder()
    const seen: (string | undefined)[] = []
    const uri = await server((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(401, {
        'www-authenticate': 'Basic realm="pipes"',
        'content-type': 'text/plain',
      })
      response.end(`no such key: ${request.headers.authorization}`)
    })
    const token = 'canary-7f3a91'
    const told = { pipeRepositories: { city: { uri, username: 'bot', token } } }
    const sources = await sourcesFixture(root, told)
    await sources.reload(timeoutSignal())
    expect(seen).toContain(`Basic ${Buffer.from(`bot:${token}`).toString('base64')}`)
    expect(sources.invalid()).toMatchObject([
      { problems: [{ detail: 'the repository refused the credentials, or needs some' }] },
    ])
    const files = readdirSync(join(root, 'scratch'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    expect(files.length).toBeGreaterThan(0)
    const secrets = [token, Buffer.from(`bot:${token}`).toString('base64')]
    expect(sources.lines.join('')).toContain('no such key: Basic •••')
    expect(
      [...files, ...sources.lines].filter((text) => secrets.some((one) => text.includes(one))),
    ).toEqual([])
  })

  it('[T7] no redirect carries the token elsewhere', async () => {
    const root = folder()
    const seen: (string | undefined)[] = []
    const elsewhere = await server((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="thief"' }).end()
    })
    const uri = await server((request, response) => {
      response
        .writeHead(302, { location: elsewhere + (request.url ?? '').slice('/pipes.git'.length) })
        .end()
    })
    const told = { uri, username: 'bot', token: 'canary-7f3a91' }
    await expect(
      checkout(told, target(root), fixture(root), timeoutSignal()),
    ).rejects.toMatchObject({
      kind: 'source-unreachable',
    })
    expect(seen).toEqual([])
  })
})
