/** Pipes from git repositories. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { harvestOf } from '../pipes.ts'
import { folder, timeoutSignal, sourcesFixture, put } from './sources-fixture.ts'
import { git, repository } from './repository.ts'

const from = (uri: string, more: object = {}) => ({ pipeRepositories: { city: { uri, ...more } } })
/** Files below a directory, each by its path. */
const below = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .toSorted()

describe('a git repository', () => {
  it('gives its pipes at any depth except in folders with a dot, as foreign ones', async () => {
    const root = folder()
    const remote = await repository(root)
    await remote.commit({
      'a.json': harvestOf('city'),
      'deep/er/b.yaml': JSON.stringify(harvestOf('land')),
      '.github/c.json': harvestOf('hidden'),
      'd.json': 'broken',
      'readme.md': '# Pipes',
    })
    const sources = await sourcesFixture(root, from(remote.uri))
    await sources.reload(timeoutSignal())
    expect(
      sources
        .list()
        .map(({ pipe, source, file, trust }) => [pipe.header.name, source, file, trust]),
    ).toEqual([
      ['city', 'git:city', 'a.json', 'foreign'],
      ['land', 'git:city', 'deep/er/b.yaml', 'foreign'],
    ])
    expect(sources.invalid()).toMatchObject([{ source: 'git:city', file: 'd.json' }])
  })

  it('brings the scripts and queries at its root along, and nothing else', async () => {
    const root = folder()
    const remote = await repository(root)
    await remote.commit({
      'city.json': harvestOf('city'),
      'scripts/mend.js': 'function transforming(input) { return input }',
      'sparql/all.rq': 'ASK {}',
      'data/large.csv': 'a,b',
    })
    const sources = await sourcesFixture(root, from(remote.uri))
    await sources.reload(timeoutSignal())
    const directory = sources.find('city')?.directory ?? ''
    expect(below(directory)).toEqual(['city.json', 'scripts/mend.js', 'sparql/all.rq'])
    expect(readFileSync(join(directory, 'scripts/mend.js'), 'utf8')).toContain('transforming')
  })

  it('is polled: changes, new and removed files are noticed', async () => {
    const root = folder()
    const remote = await repository(root)
    await remote.commit({ 'a.json': harvestOf('city'), 'b.json': harvestOf('land') })
    const sources = await sourcesFixture(root, from(remote.uri), { pollMs: 20 })
    await expect.poll(sources.names).toEqual(['city', 'land'])
    await remote.commit({
      'a.json': null,
      'b.json': harvestOf('river'),
      'c.json': harvestOf('sea'),
    })
    await expect.poll(sources.names).toEqual(['river', 'sea'])
  })

  it('is fetched shallow and one branch only; the default branch is the one that it shows first', async () => {
    const root = folder()
    const remote = await repository(root)
    await remote.commit({ 'a.json': harvestOf('main') })
    git(remote.work, 'checkout', '-q', '-b', 'next/one')
    await remote.commit({ 'a.json': harvestOf('next') })
    const sources = await sourcesFixture(root, {
      pipeRepositories: {
        first: { uri: remote.uri },
        second: { uri: `file://${remote.uri}`, branch: 'next/one' },
        third: { uri: remote.uri, branch: 'absent' },
      },
    })
    await sources.reload(timeoutSignal())
    expect(sources.list().map(({ pipe, source }) => [pipe.header.name, source])).toEqual([
      ['main', 'git:first'],
      ['next', 'git:second'],
    ])
    expect(sources.invalid()).toEqual([
      {
        source: 'git:third',
        file: '',
        problems: [{ detail: 'the repository has no such branch' }],
      },
    ])
  })

  it('keeps only the state of the last two commits, and nothing of git', async () => {
    const root = folder()
    const remote = await repository(root)
    const sources = await sourcesFixture(root, from(remote.uri))
    for (const name of ['one', 'two', 'three', 'four']) {
      await remote.commit({ 'a.json': harvestOf(name) })
      await sources.reload(timeoutSignal())
    }
    expect(sources.names()).toEqual(['four'])
    const files = below(join(root, 'scratch')).map((path) => path.replaceAll(/[0-9a-f]{24,}/g, '#'))
    expect(files).toEqual([
      'git-home/askpass',
      'git-home/gitconfig',
      'repositories/#/#/a.json',
      'repositories/#/#/a.json',
    ])
  })

  it('that cannot be reached keeps what was fetched last, says so, and comes back', async () => {
    const root = folder()
    const remote = await repository(root)
    await remote.commit({ 'a.json': harvestOf('city') })
    const sources = await sourcesFixture(root, from(remote.uri))
    await sources.reload(timeoutSignal())
    expect(sources.names()).toEqual(['city'])
    await rename(remote.uri, `${remote.uri}.away`)
    await sources.reload(timeoutSignal())
    expect(sources.names()).toEqual(['city'])
    expect(sources.invalid()).toMatchObject([
      {
        source: 'git:city',
        file: '',
        problems: [{ detail: 'the repository has no such repository or branch' }],
      },
    ])
    await sources.reload(timeoutSignal())
    const warned = sources.lines.filter((line) => /"warn".*pipes.fetch-failed/.test(line))
    expect(warned).toHaveLength(1)
    await rename(`${remote.uri}.away`, remote.uri)
    await sources.reload(timeoutSignal())
    expect([sources.names(), sources.invalid()]).toEqual([['city'], []])
  })

  it('is there at once after a restart, even while it cannot be reached', async () => {
    const root = folder()
    const remote = await repository(root)
    await remote.commit({ 'a.json': harvestOf('city') })
    const before = await sourcesFixture(root, from(remote.uri))
    await before.reload(timeoutSignal())
    await before.stop()
    await rm(remote.uri, { recursive: true })
    const after = await sourcesFixture(root, from(remote.uri))
    expect(after.names()).toEqual(['city'])
    expect((await sourcesFixture(root, from(`${remote.uri}-other`))).names()).toEqual([])
  })

  it('comes after directories when names clash, repositories in order of their names', async () => {
    const root = folder()
    const one = await repository(root, 'one')
    const two = await repository(root, 'two')
    await one.commit({ 'a.json': harvestOf('city'), 'b.json': harvestOf('land') })
    await two.commit({ 'a.json': harvestOf('land') })
    await put(root, 'pipes/a.json', harvestOf('city'))
    const sources = await sourcesFixture(root, {
      pipeRepositories: { z: { uri: one.uri }, b: { uri: two.uri } },
    })
    await sources.reload(timeoutSignal())
    expect(sources.list().map(({ source }) => source)).toEqual(['pipes', 'git:b'])
    expect(sources.invalid().map(({ source, file }) => [source, file])).toEqual([
      ['git:z', 'a.json'],
      ['git:z', 'b.json'],
    ])
  })

  it('may be a path relative to the working directory', async () => {
    const root = folder()
    const remote = await repository(root)
    await remote.commit({ 'a.json': harvestOf('city') })
    const sources = await sourcesFixture(root, from(relative(process.cwd(), remote.uri)))
    await sources.reload(timeoutSignal())
    expect(sources.names()).toEqual(['city'])
  })

  it('that an earlier process left half fetched leaves nothing behind', async () => {
    const root = folder()
    const half = 'scratch/git-6f1f9b9e-0c8b-4a3e-9d3f-2b8a5f0c1d2e'
    await put(root, `${half}/bare/HEAD`, 'x')
    await sourcesFixture(root)
    expect(existsSync(join(root, half))).toBe(false)
  })

  it('does not hold the start: a directory is there while git still works', async () => {
    const root = folder()
    await put(root, 'pipes/a.json', harvestOf('city'))
    const sources = await sourcesFixture(root, from(join(root, 'absent.git')))
    expect(sources.names()).toEqual(['city'])
    expect(existsSync(join(root, 'scratch/repositories'))).toBe(false)
  })
})
