/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/frame_loss.h"

/* Of the channel, per packet. */
struct steps {
    double loss;
    double to_bad;  /* from good */
    double to_good; /* from bad */
};

static struct steps steps_of(const struct weir__lossy_channel *channel)
{
    double least = 1.0 / (1.0 - channel->loss);
    double burst = channel->burst > least ? channel->burst : least;
    double to_good = 1.0 / burst;
    return (struct steps){.loss = channel->loss,
                          .to_bad = to_good * channel->loss / (1.0 - channel->loss),
                          .to_good = to_good};
}

/* What is left of the state after so many packets, in [-1, 1]. */
static double memory(const struct steps *steps, int packets)
{
    double left = 1.0;
    for (int i = 0; i < packets; i++) {
        left *= 1.0 - steps->to_bad - steps->to_good;
    }
    return left;
}

/* That all of a frame without repair arrive. */
static double all_arrive(const struct steps *steps, int media)
{
    double good = 1.0 - steps->loss;
    for (int i = 1; i < media; i++) {
        good *= 1.0 - steps->to_bad;
    }
    return good;
}

/* That at most one of `packets` and the repair packet that comes `behind` packets after the last of
 * them is lost, or the repair packet alone. */
static double part_is_whole(const struct steps *steps, int packets, int behind)
{
    double none = 1.0 - steps->loss; /* lost, so far */
    double one_good = 0.0;           /* one is, and the newest arrived ... */
    double one_bad = steps->loss;    /* ... or is that one */
    for (int i = 1; i < packets; i++) {
        one_good = one_good * (1.0 - steps->to_bad) + one_bad * steps->to_good;
        one_bad = none * steps->to_bad;
        none *= 1.0 - steps->to_bad;
    }
    double left = memory(steps, behind);
    double repaired_good = 1.0 - steps->loss + steps->loss * left;
    double repaired_bad = (1.0 - steps->loss) * (1.0 - left);
    return none + one_good * repaired_good + one_bad * repaired_bad;
}

/* Parts as even as whole packets allow: where they are not, neighbours share a packet. */
static double lost_of(const struct steps *steps, int media, int repair)
{
    if (repair == 0) {
        return 1.0 - all_arrive(steps, media);
    }
    double whole = 1.0;
    for (int i = 0; i < repair; i++) {
        int first = i * media / repair;
        int end = ((i + 1) * media + repair - 1) / repair;
        whole *= part_is_whole(steps, end - first, media - end + i + 1);
    }
    return 1.0 - whole;
}

/* Between two numbers of repair packets. */
static double mixed_repair(const struct steps *steps, int media, double repair)
{
    int low = repair < (double)media ? (int)repair : media;
    double part = repair < (double)media ? repair - (double)low : 0.0;
    double lost = lost_of(steps, media, low);
    return part > 0.0 ? lost + part * (lost_of(steps, media, low + 1) - lost) : lost;
}

double weir__frame_loss(const struct weir__lossy_channel *channel, double media_packets,
                        double repair_packets)
{
    struct steps steps = steps_of(channel);
    double most = (double)WEIR__FRAME_LOSS_PACKETS;
    double scale = media_packets > most ? most / media_packets : 1.0;
    double media = media_packets * scale;
    double repair = repair_packets * scale;
    int low = (int)media;
    double part = media - (double)low;
    double lost = mixed_repair(&steps, low, repair);
    return part > 0.0 ? lost + part * (mixed_repair(&steps, low + 1, repair) - lost) : lost;
}
