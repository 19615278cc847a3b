/* rates.h -- what the device can do, for benchmarks: loops of nothing but fma or exponentials; part
 * of device_body.c. Every thread has RATE_CHAINS of them side by side, so that none waits for the
 * one before.
 */
#ifndef TROP_CUDA_RATES_H
#define TROP_CUDA_RATES_H

#define RATE_CHAINS 8

struct rate {
    double *out; /* what the loops come to, so that they are not left out */
    int32_t count;
    double factor;
};

KERNEL_OF(rate_fma, struct rate)
{
    EACH_THREAD
    {
        double s[RATE_CHAINS], sum = 0;
        UNROLL for (int k = 0; k < RATE_CHAINS; k++)
        {
            s[k] = thread + k;
        }
        for (int32_t i = 0; i < job.count; i++) {
            UNROLL for (int k = 0; k < RATE_CHAINS; k++)
            {
                s[k] = fma(s[k], job.factor, job.factor);
            }
        }
        UNROLL for (int k = 0; k < RATE_CHAINS; k++)
        {
            sum += s[k];
        }
        if (sum == -1) { /* never: the sums are positive */
            job.out[BLOCK_X] = sum;
        }
    }
    MEET();
}

KERNEL_OF(rate_exp, struct rate)
{
    EACH_THREAD
    {
        double sum[RATE_CHAINS], all = 0;
        UNROLL for (int k = 0; k < RATE_CHAINS; k++)
        {
            sum[k] = thread + k;
        }
        for (int32_t i = 0; i < job.count; i++) {
            UNROLL for (int k = 0; k < RATE_CHAINS; k++)
            {
                sum[k] += trop_exp_inline(job.factor - i - k);
            }
        }
        UNROLL for (int k = 0; k < RATE_CHAINS; k++)
        {
            all += sum[k];
        }
        if (all == -1) {
            job.out[BLOCK_X] = all;
        }
    }
    MEET();
}

#endif
