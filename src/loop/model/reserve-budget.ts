// Begins a model call within the budgets of the run and its tree (B2, B3).
//  - A call reserves its estimated prompt and its largest possible answer. It is sent with that output limit, so that no answer costs more.
//  - A call also reserves the run's last turn: the same prompt, the answer to this call, and a report.
//  - If the budget leaves less than wanted, the output limit shrinks. Below a minimum, the call is not made.
//  - In the last turn, the newest tool results are shortened if the budget does not cover them.

import type { Estimate, EventBody, Payload } from "../../journal/events.ts";
import type { Usage } from "../../journal/message.ts";
import { thoughtTokens } from "../../journal/reasoning.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Action } from "../../patterns/action.ts";
import { promptTokens, shortenableTokens } from "../../projections/folds/transcript.ts";
import { type ExceededLimit, sumOf } from "../../projections/usage/budgets.ts";
import type { Refusal } from "../../stores/store.ts";
import { FINAL_NOT_COVERED } from "../drive/decide-turn.ts";
import { budgetOf, budgetPolicy, hasBudget, treeBudgetOf } from "../drive/limits.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";

type CallModel = Extract<Action, { type: "call-model" }>;

export const CHARACTERS_PER_TOKEN = 4;

/**
 * Limit for the output tokens of an answer, not counting its thoughts, unless the agent sets `maxOutputTokens`.
 * If an answer is cut off at this limit, the next attempt gets twice as many.
 */
const USUAL_OUTPUT = 8_000;
/** A turn with fewer output tokens is not worth its prompt. */
const LEAST_OUTPUT = 1_000;
const LEAST_REPORT = 300;
/** Assumed output tokens of a call whose answer was lost. */
const PROBABLE_OUTPUT = 1_000;
/** Output tokens that are kept for the report of the last turn, unless the budget is small. */
const REPORT_TOKENS = 1_500;
/** If the reservations of other runs leave fewer output tokens than this, the call waits for those runs. */
const PATIENT_OUTPUT = 4_000;

/** Maximum number of attempts to fit a call into the budget. Other runs can change the remaining budget between two attempts. */
const MAX_ATTEMPTS = 6;

/** The limits that the budget sets for a call. Empty if there is no budget. */
export type Allowance = Pick<Payload<"MODEL_CALL_STARTED">, "maxOutputTokens" | "shortenedBy">;

type Intent = (reserved: Partial<Payload<"MODEL_CALL_STARTED">>) => EventBody;

interface EstimateParts extends Pick<LoopParts, "clock" | "estimateCall"> {
  fixedTokens(): number;
  /** Most output tokens that the model accepts as a limit. */
  maxOutput: number;
}

/** Appends the intent of a call, with the largest output limit that the budgets allow. */
export async function beginWithinBudget(
  action: CallModel,
  intent: Intent,
  run: RunJournal,
  parts: EstimateParts,
): Promise<{ refused: Refusal | undefined; allowance: Allowance }> {
  const budgets = { run: budgetOf(run.state), tree: treeBudgetOf(run.state) ?? {} };
  if (!hasBudget(budgets.run) && !hasBudget(budgets.tree)) {
    const estimate = probableSpending(action, run, parts);
    return { refused: await run.beginWork([intent(omitUndefined({ estimate }))]), allowance: {} };
  }
  const sizes = sizesOf(action, run, parts);
  const room = { tokens: Number.POSITIVE_INFINITY, cost: Number.POSITIVE_INFINITY };
  let plan = sizes.plan(sizes.most, 0);
  for (let attempt = 1; ; attempt++) {
    const { allowance, ...reserve } = plan;
    const refused = await run.beginWork([intent({ ...reserve, ...allowance })], {
      reserve: { ...reserve, ...budgets },
    });
    if (refused !== "budget" && refused !== "reserved") return { refused, allowance };
    const exceeded = run.exceededBudget!;
    const unit = unitOf(exceeded);
    room[unit] = Math.min(room[unit], exceeded.value - exceeded.used - exceeded.kept - exceeded.open);
    const smaller = largestPlan(sizes, room);
    const isEnough = smaller && (refused === "budget" || smaller.allowance.maxOutputTokens! >= sizes.patient);
    if (isEnough && attempt < MAX_ATTEMPTS) {
      plan = smaller;
      continue;
    }
    if (refused === "budget") recordBudgetStop(action, { ...exceeded, needs: sizes.needs[unit] }, run);
    return { refused, allowance: {} };
  }
}

/** The probable tokens and cost of a call, in case a crash loses its outcome (P3). Undefined if the model is free. */
function probableSpending({ model }: CallModel, run: RunJournal, parts: EstimateParts): Estimate | undefined {
  const { tokens, cached } = estimatePrompt(run, parts);
  const estimate = parts.estimateCall(model, { prompt: tokens, cached, output: PROBABLE_OUTPUT });
  return estimate.cost === 0 ? undefined : estimate;
}

const unitOf = ({ limit }: ExceededLimit): "tokens" | "cost" =>
  limit.endsWith("maxCost") ? "cost" : "tokens";

interface Plan {
  estimate: Estimate;
  lastTurn?: Estimate;
  allowance: Allowance;
}

interface Sizes {
  /** The largest and the smallest useful number of output tokens. */
  most: number;
  least: number;
  patient: number;
  /** Number of tokens by which the prompt can be shortened. */
  shortenable: number;
  plan(output: number, shortenedBy: number): Plan;
  needs: { tokens: number; cost: number };
}

function sizesOf(action: CallModel, run: RunJournal, parts: EstimateParts): Sizes {
  const { model, purpose } = action;
  const { maxOutputTokens, reasoning } = run.definition;
  const prompt = estimatePrompt(run, parts, isCached(action, run, parts));
  const isLast = purpose === "final";
  const wanted = (USUAL_OUTPUT + thoughtTokens(reasoning)) * 2 ** cutOffsOf(action, run);
  const most = maxOutputTokens ?? Math.min(wanted, parts.maxOutput);
  const plan = (output: number, shortenedBy: number): Plan => {
    const size = { prompt: prompt.tokens - shortenedBy, output, cached: prompt.cached, reasoning };
    const estimate = parts.estimateCall(model, size);
    const allowance = { maxOutputTokens: output, ...(shortenedBy > 0 ? { shortenedBy } : {}) };
    if (isLast) return { estimate, allowance };
    const cached = Math.floor(prompt.tokens * prompt.cachedShare);
    const last = { prompt: prompt.tokens + output, output: reportTokens(output / 2), cached, reasoning };
    return { estimate, lastTurn: parts.estimateCall(model, last), allowance };
  };
  const least = Math.min(most, isLast ? LEAST_REPORT : LEAST_OUTPUT);
  const shortenable = isLast ? shortenableTokens(run.transcript) : 0;
  const smallest = plan(least, shortenable);
  const { tokens, cost } = sumOf(smallest.estimate, smallest.lastTurn);
  const patient = Math.min(most, isLast ? REPORT_TOKENS : PATIENT_OUTPUT);
  return { most, least, patient, shortenable, plan, needs: { tokens, cost: cost ?? 0 } };
}

/** The amount to keep for the last turn, now that the answer is known. Undefined if nothing was reserved for it. */
export function lastTurnAfter(
  { model }: CallModel,
  { input, output, cacheRead = 0 }: Usage,
  { state, definition: { reasoning } }: RunJournal,
  { estimateCall }: Pick<EstimateParts, "estimateCall">,
): Estimate | undefined {
  const reserved = state.openModelCall?.lastTurn;
  if (!reserved) return undefined;
  return estimateCall(model, {
    prompt: input + output,
    cached: Math.min(cacheRead, input),
    output: reportTokens(reserved.tokens - input - output),
    reasoning,
  });
}

const reportTokens = (wanted: number): number =>
  Math.floor(Math.min(REPORT_TOKENS, Math.max(LEAST_REPORT, wanted)));

/** The plan with the most output that fits. The prompt is shortened only as far as necessary. */
function largestPlan(
  { most, least, shortenable, plan }: Sizes,
  room: { tokens: number; cost: number },
): Plan | undefined {
  const isCovered = (output: number, shortenedBy: number): boolean => {
    const { estimate, lastTurn } = plan(output, shortenedBy);
    const { tokens, cost } = sumOf(estimate, lastTurn);
    return tokens <= room.tokens && (cost === null ? room.cost > 0 : cost <= room.cost);
  };
  if (!isCovered(least, shortenable)) return undefined;
  const shortenedBy = smallest(0, shortenable, (by) => isCovered(least, by));
  const output = most - smallest(0, most - least, (by) => isCovered(most - by, shortenedBy));
  return plan(output, shortenedBy);
}

/** The smallest number from `low` to `high` that passes the test. All greater numbers up to `high` must pass it too. */
function smallest(low: number, high: number, test: (value: number) => boolean): number {
  if (low >= high) return high;
  const middle = Math.floor((low + high) / 2);
  return test(middle) ? smallest(low, middle, test) : smallest(middle + 1, high, test);
}

function cutOffsOf({ callId }: CallModel, { state: { failedCall } }: RunJournal): number {
  return failedCall?.callId === callId && failedCall.cause === "output_cap" ? failedCall.paidTries : 0;
}

/** Providers keep a cached prompt for at least this long. */
const CACHE_MS = 300_000;

/** True if the provider probably still has the last prompt in its cache. Each model has a separate cache. */
function isCached(
  { model }: CallModel,
  { transcript }: RunJournal,
  { clock }: Pick<EstimateParts, "clock">,
): boolean {
  return transcript.model === model && (transcript.measured?.at ?? 0) + CACHE_MS > clock.now();
}

/** Estimated tokens of the next prompt, and the part of them that the provider probably reads from its cache. */
function estimatePrompt(
  { transcript }: Pick<RunJournal, "transcript">,
  { fixedTokens }: Pick<EstimateParts, "fixedTokens">,
  hasCache = true,
) {
  const { measured } = transcript;
  const cachedShare = (hasCache && measured?.cachedShare) || 0;
  // The provider's count includes the system prompt and the tools.
  const tokens = promptTokens(transcript) + (measured ? 0 : fixedTokens());
  return { tokens, cachedShare, cached: Math.min(tokens, Math.floor((measured?.tokens ?? 0) * cachedShare)) };
}

/**
 * The probable usage of a call that was sent, but for which the provider reported no usage.
 * It is estimated from the prompt and the received text (B2, P3).
 */
export function estimateUsage(
  run: Pick<RunJournal, "transcript">,
  receivedCharacters: number,
  parts: Pick<EstimateParts, "fixedTokens">,
): Usage {
  const { tokens, cached } = estimatePrompt(run, parts);
  const output = Math.ceil(receivedCharacters / CHARACTERS_PER_TOKEN);
  return { input: tokens, output, ...(cached > 0 ? { cacheRead: cached } : {}) };
}

export const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

/** Records that the budget does not cover even the last turn. */
export const LAST_TURN_NOT_COVERED: EventBody = {
  type: "LIMIT_REACHED",
  payload: { limit: "finalTurn", value: 0, hard: true },
  key: FINAL_NOT_COVERED,
};

/** Records that a budget does not cover a call. `needs` is the least that the call would have needed. */
export function recordBudgetStop(
  action: Pick<CallModel, "purpose">,
  { limit, value, used, kept, needs }: ExceededLimit & { needs?: number },
  run: RunJournal,
): void {
  const numbers = omitUndefined({ used, kept: kept || undefined, needs });
  if (action.purpose === "final") {
    const payload = { ...LAST_TURN_NOT_COVERED.payload, value, budget: limit, ...numbers };
    run.record({ ...LAST_TURN_NOT_COVERED, payload } as EventBody);
    return;
  }
  const stops = [...run.state.reachedLimits.values()].filter((reached) => reached.itemId).length;
  const item = budgetPolicy(limit, run.state) === "suspend" ? { itemId: `budget/${stops + 1}` } : {};
  run.record({ type: "LIMIT_REACHED", payload: { limit, value, hard: true, ...item, ...numbers } });
}
