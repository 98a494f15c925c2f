import type { Place } from '../../model/source.ts'
import type { LimitName } from '../../model/streams.ts'
import type { LossStream } from '../../model/trajectory.ts'
import type { BrokenKl } from '../logprobs/broken-kl.ts'
import type { KlRounded } from '../logprobs/kl-rounded.ts'
import type { LaterDenials } from '../logprobs/later-denials.ts'
import type { LoneZero } from '../logprobs/lone-zeros.ts'
import type { Lifted } from '../logprobs/most-likely.ts'
import type { OnlyLogprobs } from '../logprobs/only-logprobs.ts'
import type { GapSums, KlSums } from '../logprobs/sums.ts'
import type { Tilt } from '../logprobs/tilt.ts'
import type { VersionGaps } from '../logprobs/version-gaps.ts'
import type { DeniedEnd } from '../mask/appended-by.ts'
import type { EarlierCredit } from '../mask/earlier-credit.ts'
import type { LeftOutRatios, RatioRange } from '../mask/left-out-ratios.ts'
import type { NullsAsMask } from '../mask/nulls-as-mask.ts'
import type { RatioHole } from '../mask/ratio-holes.ts'
import type { EndLogprobs, ZeroEnd } from '../mask/zero-ends.ts'
import type { UnansweredEnd } from '../oracles/unanswered-end.ts'
import type { Drift } from '../template/drift.ts'
import type { StrayCall } from '../template/stray-call.ts'
import type { NamedTool } from '../template/tools-in-words.ts'
import type { AnswerPlace } from '../texts/answer-place.ts'
import type { PairingFacts } from '../texts/pairing.ts'
import type { OpenEnd } from '../truncation/long-replies.ts'

/** How a rollout ended, as the ids and the dump's own fields tell. */
export const END_REASONS = ['stop', 'cut-prose', 'cut-call', 'cut-reply', 'prompt-only', 'unknown'] as const
export type EndReason = (typeof END_REASONS)[number]

/** What ends a row of which no token is trained: its end token, or what may be that and may be the first of a padding with the same token, or a reply or a bare header. */
export const UNTRAINED_ENDS = ['stop', 'stop-or-padding', 'between-turns'] as const
export type UntrainedEnd = (typeof UNTRAINED_ENDS)[number]

/** What the model's turns hold of which the messages, of the prompt alone, tell nothing: trained calls, with tags or bare as Llama's template writes them, or none. */
export const BEYOND_MESSAGES = ['calls', 'bare calls', 'no calls'] as const
export type BeyondMessages = (typeof BEYOND_MESSAGES)[number]

/** Sampled tokens over which the beginnings of rollouts are compared. */
export const PREFIX_TOKENS = [64, 256, 1024] as const

/**
 * What is kept of a trajectory after its tokens are let go: the row of the Rollouts table, and all that checks over
 * groups and the whole dump may look at. Numbers of tokens unless said otherwise; null = the dump does not tell.
 */
export interface TrajectoryFacts {
  readonly place: Place
  readonly id: string
  readonly recordHash: string
  /** Line of the record, 1-based; absent where its container has none. */
  readonly line?: number
  /** The rollout that this trajectory is one branch of, where the dump says so; a group counts a rollout once. */
  readonly branchOf: string | null
  /** Where its prompt left what the calls before it hold, so that it is a branch; absent where nothing tells. */
  readonly prefixBroken?: string
  /** Whether that prompt spells the same text there in other tokens; absent where it does not, or nothing tells. */
  readonly splitsPrefix?: boolean
  readonly group: string | null
  /** The environment or dataset that rewarded it, by the name that the dump has for it; absent where none is named. What its reward is held against. */
  readonly environment?: string
  readonly groupSize: number | null
  readonly step: number | null
  /** Mean policy version of the trained tokens that name one; absent where none does. What L08 holds against the step. */
  readonly version?: number
  readonly reward: number | null
  readonly rewards: Readonly<Record<string, number>> | null
  /** The scalar advantage: stored, or the common value of a per-token array on its trained tokens; null when they differ. */
  readonly advantage: number | null
  /** Largest |advantage| over trained tokens. */
  readonly maxAdvantage: number | null
  /** First trained token whose advantage differs from that of the trained tokens before it; absent where there is none. */
  readonly advantageChangesAt?: number
  /** Of several trained turns with advantages by token, what those before the last get; absent elsewhere. What M18 holds against other rollouts of the step. */
  readonly earlierCredit?: EarlierCredit
  /** Whole sequence, padding included. */
  readonly length: number
  /** Lengths are those of a rendering that a person asked for, the dump has no ids; absent where they are recorded. */
  readonly reconstructed?: boolean
  /** Without padding. */
  readonly realLength: number
  readonly promptLength: number | null
  readonly trained: number | null
  readonly masked: number | null
  readonly padding: number
  readonly unknown: number
  /** Sum of the loss weights; equals `trained` for 0/1 masks. */
  readonly weight: number | null
  readonly turns: number
  readonly assistantTurns: number
  readonly toolTurns: number
  /** Kinds of edges behind its turns, as bits by `EDGE_NAMES`; absent without ids or turns in them. */
  readonly edges?: number
  /** Assistant turns that it begins with and that the model did not write, where it wrote a later one: examples, or what was said before; absent where there are none. */
  readonly exampleTurns?: number
  /** Digest of the ids before the turn behind them, padding and its header left out; absent where there are none. Tells questions where all begin alike. */
  readonly askedHash?: string
  /** Names of the tools that it calls, as its ids spell them, in order of their letters; absent where it calls none. What a fault may be confined to. */
  readonly calledTools?: string
  /** A turn of it calls several tools at once; absent elsewhere. What a fault may be confined to. */
  readonly parallelCalls?: boolean
  /**
   * Codes of the checks that found something to look at in it, one behind the other; absent where it was put to none. What a fault that is confined to
   * files, environments or steps is counted against.
   */
  readonly lookedAt?: string
  /**
   * Of a row with turns that lack their end token though others follow: the tokens between which the first of them should stand, null where
   * some have theirs, or nothing proves that they had. Absent elsewhere. What T16 compares within a group.
   */
  readonly openTurns?: readonly [number, number] | null
  /**
   * Of a row with such turns that call, whole, and that end alike as calls with an end token in the loss: the tokens between which the first should stand,
   * null where one with its own comes behind it. Absent elsewhere, and where the row tells by itself (T16). What T16 asks of all rollouts.
   */
  readonly openCalls?: readonly [number, number] | null
  /**
   * Of a row that may be a branch of a rollout that other rows are of: digests of its ids through each turn that it trains, and through each
   * that the model wrote and that it does not, or their ordinals in the rollout that it names; absent elsewhere. What H02 looks for in other rows.
   */
  readonly branchEnds?: { readonly trained: readonly string[]; readonly context: readonly string[] }
  /** Digest of what stands before the first assistant turn, where the prompt goes on behind it; absent elsewhere. What A05 takes for the prompt of rows by call. */
  readonly rootHash?: string
  /** Digest of the prompt as it is with one begin-of-sequence token, where it begins with two (T01); absent elsewhere. What A05 compares. */
  readonly oneBosHash?: string
  /** What ends the row, where that trains nothing and nothing of its own says why; absent elsewhere. What M04 holds against the limits of the run. */
  readonly untrainedEnd?: UntrainedEnd
  /**
   * The id before the end token of its last turn, where the model wrote that and it is in the loss, or where it stands among `silentEnds`; absent elsewhere,
   * and where the format tells of every end who wrote it.
   */
  readonly endBehind?: number
  /** The end tokens of all its turns, where none of them has loss or a logprob of its own and nothing else says why; absent elsewhere. What M10 holds against other rows. */
  readonly silentEnds?: readonly number[]
  /** Its ends by loss and logprob, where one has no loss; absent elsewhere, and where the format tells of every end who wrote it. */
  readonly endLogprobs?: EndLogprobs
  /** Ends without loss that may have been sampled or appended, where it has others with logprobs; absent elsewhere. What M10 holds against the ends of other rows. */
  readonly zeroEnds?: readonly ZeroEnd[]
  /** Log ratios of trainer to sampler of its trained tokens; absent where not both scored any. */
  readonly ratioRange?: RatioRange
  /** Those of tokens that the model wrote and that have no loss, amid trained turns, or in a row that trains nothing; absent where there is none. What M04, M10 and M16 need all rollouts for. */
  readonly leftOutRatios?: LeftOutRatios
  /** What M10 and M16 find, where its ratios leave that range: whether they were rejected all rollouts tell; absent elsewhere. */
  readonly ratioHoles?: readonly RatioHole[]
  /** Its null logprobs held against its mask, where that leaves out something of the assistant's turns; absent elsewhere. What M03, M06 and M10 need all rollouts for. */
  readonly nullsAsMask?: NullsAsMask
  /** The id that pads the row, or would, where ends of its turns that can be told from padding have it too; absent elsewhere. */
  readonly endPad?: number
  /** These ends, where none of them has loss; absent elsewhere. What M13 holds against other rows. */
  readonly padEnds?: readonly number[]
  /** A turn of the prompt is not closed, or the answer begins in it, or it was cut otherwise (C02, T16), so that its ids are not those that were asked; absent elsewhere. What A05 sets aside. */
  readonly promptOpen?: boolean
  /** Its messages call tools that its ids name, and no turn of it has a call that could be read; absent elsewhere. What T12 and C07 abstain by. */
  readonly unreadCalls?: boolean
  /** Behind the first turn of the model it has one of which neither template nor name tells whose it is; absent elsewhere. What M01, M03, M05, T05 and C09 abstain by. */
  readonly namelessTurns?: boolean
  /** Its system text is what the template writes where there is no system message, and it has none of that text; absent elsewhere. */
  readonly defaultSystem?: boolean
  /** Its messages have a system message and its prompt holds no word of it, or they have none and its prompt has another family's default (T09), so that its system text says nothing of its group; absent elsewhere. */
  readonly systemReplaced?: boolean
  /** Role of the first turn as spelt in the ids, null without turns or where the ids begin inside one; what C01 compares between the rollouts of a group. */
  readonly firstRole?: string | null
  /** The id that stands last, padding and the template's separator left out; what C05 holds truncation flags against. Null without turns. */
  readonly lastToken?: number | null
  /** The last turn that something was written in has its end token; null without turns. What C05 holds a finish reason of `stop` against. */
  readonly endsClosed?: boolean | null
  /** Tokens of that turn where it has none; absent elsewhere. Where C03 and C05 show a cut that only other rows tell of. */
  readonly openEnd?: readonly [number, number]
  /** None of the turns that the model wrote in it has an end token; absent elsewhere. What keeps T16 from passing where that is so in all rollouts. */
  readonly noEnds?: boolean
  /** It stops amid the JSON of a call, and ends its other turns itself; absent elsewhere. What C05 holds a finish reason of `stop` against. */
  readonly stopsInCall?: boolean
  /**
   * It is said to have stopped with a call, its last turn calls nothing and lacks an end token, and it ends its other turns itself; absent elsewhere. What
   * C05 holds against rollouts that have the token.
   */
  readonly stopsWithoutCall?: boolean
  /**
   * It is flagged as whole, and its last turn lacks an end token and ends with a tag, on which the model may have stopped; absent elsewhere. Such a flag
   * C05 does not doubt.
   */
  readonly endsAtTag?: boolean
  /**
   * The end token of its last turn, where it is flagged as cut all the same; absent elsewhere, and where that turn calls a tool, whose reply a limit may
   * have kept out. Where C05 shows it.
   */
  readonly flaggedEnd?: readonly [number, number]
  /**
   * The ids begin inside a turn: the tokens that are left of it, the text of the first of them, and the tokens that the messages hold
   * before it (null where they do not tell). Absent where the row begins as it should.
   */
  readonly cutLeft?: { readonly tokens: readonly [number, number]; readonly text: string; readonly lost: number | null }
  /**
   * The ids begin inside a turn with what the model wrote, and nothing of their own tells whether the dump stores completions alone: the tokens of that
   * turn. What C01 holds against the other rollouts of the group; absent elsewhere.
   */
  readonly beginsWritten?: readonly [number, number]
  /** Hash of the system turn that the row begins with, its date left out, and that date as written; null without. What T14 and runs compare between rows. */
  readonly systemHash?: string | null
  /** Hash of that turn without what is the rollout's own in it; absent without. What T09 compares within a group. */
  readonly systemCompared?: string
  /** `systemHash` without what Llama's template writes into that turn for tools alone; absent where it writes nothing of the kind. What A05 compares. */
  readonly systemWithoutTools?: string
  readonly promptDate?: string | null
  /**
   * Of a row without sequence ids in which that turn is there again, behind an answer and before a question: tokens between the two turns, where it
   * begins and at which positions, which all restart or all run on, and the token behind the last. Absent elsewhere. What S01 compares between rows.
   */
  readonly systemAgain?: {
    readonly gap: number
    readonly starts: readonly number[]
    readonly positions: readonly number[]
    readonly end: number
  }
  /** 32 bits over the expected answer; absent where the record has none. What A05 compares within a group. */
  readonly expectedAnswer?: number
  /** Whose words hold the expected answer; null or absent where there is none to look for. */
  readonly answerPlace?: AnswerPlace | null
  /** Tokens of the last reply that hold it; absent where the model's words do, and where there is none. */
  readonly answerAt?: readonly [number, number]
  /** Tokens of a prompt that is trained whole, null where it is not; absent where turns or replies are known and tell more. */
  readonly trainedPrompt?: readonly [number, number] | null
  readonly endReason: EndReason
  /** What ends it behind a reply or a call; absent where the model may have answered. What two runs are compared by (H08). */
  readonly unanswered?: UnansweredEnd
  readonly finishReason: string | null
  readonly isTruncated: boolean | null
  /** Limits that the record itself declares; absent where it declares none. */
  readonly limits?: Readonly<Partial<Record<LimitName, number>>>
  readonly excluded: boolean
  /** Sums of logprobs over trained tokens; absent where the dump lacks one of the streams they compare. */
  readonly gap?: GapSums
  /** Sums of the only logprobs that there are, sampler's or trainer's; absent elsewhere. What A06 and S04 take for how probable the rollout was. */
  readonly onlyLogprobs?: OnlyLogprobs
  /** Turns that the sampler was certain of from end to end, by exact zeros that no trainer tells of; absent where there are none. What keeps L05 from passing. */
  readonly zeroTurns?: number
  /** Absent as well where too few tokens are scored twice, and where the gap has another cause. */
  readonly tilt?: Tilt
  /** Tokens that only the sampler finds likely, among those that the trainer does not, where it seems to give the logprob of the most likely token; absent elsewhere. What L06 asks of all rollouts. */
  readonly lifted?: Lifted
  /** Exact zeros of the sampler that the trainer denies, where they are few and lie apart; absent elsewhere. What L05 holds against the gaps of other rollouts. */
  readonly loneZeros?: readonly LoneZero[]
  /** The only end token that seems appended, and by the trainer alone; absent elsewhere. What M14 holds against the gaps of other rollouts. */
  readonly deniedEnd?: DeniedEnd
  /** It is said to be cut, and something says that its last end token was not sampled; absent of every other. */
  readonly appendedEnd?: boolean
  /** Of a rollout that several policy versions sampled, and both engines scored; absent elsewhere. What L09 compares over the dump. */
  readonly versionGaps?: VersionGaps
  /** Of a rollout of several turns in which the trainer denies what the sampler was sure of; absent elsewhere. What L02 asks of all rollouts. */
  readonly laterDenials?: LaterDenials
  readonly kl?: KlSums
  /** Absent where the stored KL is not rounded to a few decimals. */
  readonly klRounded?: KlRounded
  /** Absent where every number that the KL of trained tokens is made of is one. What L10 names, and H03 rests on. */
  readonly brokenKl?: BrokenKl
  /** The trainer disagrees from a later turn on, and the messages before that turn do not render to the ids before it; absent elsewhere. */
  readonly rendersOtherwise?: boolean
  /** The prompt describes tools, and not as the record has them; absent where it describes none, and where they are the same. */
  readonly toolsDiffer?: boolean
  /** Names of the record's tools that the prompt lacks beside others, and that the model does not call; absent elsewhere. What T07 compares within a group. */
  readonly toolsLeftOut?: string
  /** Names of the record's tools that the prompt lacks beside others, where the model calls one of them; absent elsewhere. What T07 compares over the dump. */
  readonly calledLeftOut?: string
  /** There are tools or calls of some, and the prompt describes none (T07); absent elsewhere. What A05 sets aside. */
  readonly toolsMissing?: boolean
  /** It calls a tool of which neither its prompt nor its record knows, and no tool answers; absent elsewhere. What T07 holds against the other rollouts. */
  readonly strayCall?: StrayCall
  /** Its system text names the tool that it calls, its prompt has no schema, and its record none; absent elsewhere. What T07 holds against prompts of the same text that have one. */
  readonly namedTool?: NamedTool
  /** Its prompt has the schema of the tool that it calls first: hash of the system text without it, and the name. Absent elsewhere. */
  readonly besideSchema?: string
  /** It has tools, or its system text speaks of some; absent elsewhere. */
  readonly ofTools?: boolean
  /** Its messages end with the prompt and its ids do not; absent elsewhere. Why T12, T13 and T15 have nothing to hold them against. */
  readonly beyondMessages?: BeyondMessages
  /** The system turn announces tools and the prompt describes none (T08); absent elsewhere. */
  readonly emptyTools?: boolean
  /** Digests by which the rollout is compared with those of a second run. */
  readonly pairing?: PairingFacts
  /**
   * An advantage that is NaN or infinite (`value`, written out): of the rollout (`token` null), or of some of its trained tokens, the first
   * of which it names; absent where there is none.
   */
  readonly brokenAdvantage?: { readonly value: string; readonly token: number | null; readonly tokens: number }
  /** Streams that have an array and no number on any trained token; absent where there is none (`no-numbers.ts`). */
  readonly noNumbers?: readonly LossStream[]
  /** Its arrays do not fit together (S03), so that what it trains is not known; absent where they do. */
  readonly unfit?: boolean
  /** The mask is one of these arrays, so that the row has none that anything may go by. */
  readonly unfitMask?: boolean
  /** A trained span goes on from a turn of the model through whole turns of others into its next one (`runs-through.ts`); absent elsewhere. */
  readonly runsThrough?: boolean
  readonly model: string | null
  /** Sampling temperature; null or absent where the record does not tell. */
  readonly temperature?: number | null
  /** Tokens of each assistant turn's sampled span, without what the prompt begins it with, and of each tool reply's content; for pile-ups. */
  readonly assistantLengths: readonly number[]
  readonly toolReplyLengths: readonly number[]
  /**
   * 8 hex digits over the first `PREFIX_TOKENS` sampled tokens, one for each of these lengths that the rollout has; absent where it is
   * shorter than the first of them. What A06 compares within a group.
   */
  readonly prefixHashes?: readonly string[]
  /** What became of the sampled text when it was encoded again; absent where it was not. */
  readonly drift?: Drift
  /** Lost tokens where they can be counted, 0 where nothing is known to be lost. */
  readonly lost: number
  /** Tool replies that a limit cut, the tokens between their tags and their characters without the framework's mark; absent where none was. */
  readonly cutReplies?: readonly { readonly tokens: number; readonly characters: number }[]
  /** Size of the longest text in a tool reply, tags and quotes not counted; absent where none is long. For pile-ups, as the next two. */
  readonly longestReply?: { readonly tokens: number; readonly characters: number }
  /**
   * The texts in tool replies that are longest, in tokens or in characters, among those of their tool or of their turn (`kindsOf`), by which a limit on
   * these alone is told; absent where none is long.
   */
  readonly longestOfKinds?: readonly {
    readonly start: number
    readonly end: number
    readonly tokens: number
    readonly characters: number
    readonly tool: string
    readonly turn: number
  }[]
  /**
   * The texts in tool replies that are as long as the longest, in tokens or in characters, and those that are so among those of their tool or turn alone
   * and end or begin in mid-sentence: where they stand, their size, hashes of all their tokens in any order and of the open end, else of the last tokens
   * (8 hex digits), and what they answer; absent where none is long.
   */
  readonly longReplies?: readonly {
    readonly start: number
    readonly end: number
    readonly tokens: number
    readonly characters: number
    readonly open: OpenEnd
    readonly text: string
    readonly edge: string
    readonly tool: string
    readonly turn: number
  }[]
  /**
   * Supporting documents: available in the record, brought to the model according to the messages before the answer (null without
   * messages), and whose text is visible in the ids at the last assistant turn. Null without documents.
   */
  readonly supportingDocuments: {
    readonly available: number
    readonly retrieved: number | null
    readonly visible: number
    /** In the ids, be it in a reply that no answer follows. */
    readonly standing: number
  } | null
  /** 16 hex digits over the ids (padding excluded) and over the prompt's ids; null without ids. */
  readonly idsHash: string | null
  readonly promptHash: string | null
  /**
   * Compact drawing of the row for the mask strip of a table row: pairs of bytes, a `TokenState` and a width of 1 to 255, at most
   * 64 pairs. Widths are in proportion to tokens; divide by their sum (`strip.ts`).
   */
  readonly strip: Uint8Array
}
